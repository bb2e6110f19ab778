package runs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// activity is what an agent is about, by its own events. Of the many of a run only
// the few that open and close a call of a tool are decoded.
type activity struct {
	open openings
	last []byte    // payload of the last event; nil: there was none
	at   time.Time // when that came
}

// note reads events of the agent.
func (a *activity) note(payloads [][]byte) {
	for _, p := range payloads {
		kind, ok := bytes.CutPrefix(p, []byte(`{"type":"TOOL_CALL_`))
		if !ok || bytes.HasPrefix(kind, []byte("ARGS")) {
			continue
		}
		if e, err := agui.Unmarshal(p); err == nil {
			a.open.see(e)
		}
	}
	if n := len(payloads); n > 0 {
		a.last, a.at = payloads[n-1], time.Now()
	}
}

// working names the tools whose arguments are complete and whose results haven't
// come; empty: none.
func (a *activity) working() string {
	var names []string
	for _, c := range a.open.calls {
		if c.complete {
			names = append(names, nonEmpty(c.name, "without a name"))
		}
	}
	return strings.Join(names, ", ")
}

// lastEvent says what the agent told last, and how long ago.
func (a *activity) lastEvent() string {
	if a.last == nil {
		return "none"
	}
	var e struct {
		Type string `json:"type"`
		Name string `json:"name"`
		Tool string `json:"toolCallName"`
		ID   string `json:"toolCallId"`
	}
	if json.Unmarshal(a.last, &e) != nil {
		return "one that can't be read"
	}
	for _, c := range a.open.calls {
		if c.id == e.ID {
			e.Tool = c.name
		}
	}
	what := e.Type
	if name := nonEmpty(e.Name, e.Tool); name != "" {
		what += " (" + name + ")"
	}
	return fmt.Sprintf("%s, %s ago", what, time.Since(a.at).Round(100*time.Millisecond))
}
