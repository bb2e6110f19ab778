package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/harnesstest"
)

var updateGolden = flag.Bool("update", false, "write the golden files anew")

// errorReasons are the ends of turns whose model API answered with an error; the
// other captures end as the stop reason says.
var errorReasons = map[string]harness.Reason{
	"claude-error-401":   harness.ReasonBadKey,
	"codex-error-401":    harness.ReasonBadKey,
	"grok-error-400":     harness.ReasonCrashed,
	"grok-error-401":     harness.ReasonBadKey,
	"opencode-error-400": harness.ReasonCrashed,
	"opencode-error-401": harness.ReasonBadKey,
}

// capture is the first turn of a session with a real agent.
type capture struct {
	name       string
	transcript harnesstest.Transcript
	config     config
	canceled   bool
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func readCapture(t *testing.T, path string) capture {
	t.Helper()
	whole, err := harnesstest.ReadTranscript(readFile(t, path))
	if err != nil {
		t.Fatal(err)
	}
	c := capture{
		name:       strings.TrimSuffix(filepath.Base(path), ".ndjson"),
		transcript: whole.Before("session/prompt", 2),
		config:     config{Command: []string{"agent"}},
	}
	for _, s := range c.transcript {
		var m struct {
			Method string `json:"method"`
			Params struct {
				MethodID string `json:"methodId"`
				ModeID   string `json:"modeId"`
			} `json:"params"`
		}
		if s.ByAgent || json.Unmarshal(s.JSON, &m) != nil {
			continue
		}
		switch m.Method {
		case "authenticate":
			c.config.AuthMethod = m.Params.MethodID
		case "session/set_mode":
			c.config.Mode = m.Params.ModeID
		case "session/cancel":
			c.canceled = true
		}
	}
	return c
}

// chosen decides as the captured client did.
func chosen(t *testing.T) func(*harness.Ask, json.RawMessage) *harness.Decision {
	return func(a *harness.Ask, answer json.RawMessage) *harness.Decision {
		var r struct {
			Outcome struct{ Outcome, OptionID string }
		}
		if err := json.Unmarshal(answer, &r); err != nil {
			t.Errorf("the client's answer: %v", err)
		}
		for _, o := range a.Options {
			if o.ID == r.Outcome.OptionID {
				return &harness.Decision{Allow: o.Allow, Option: o.ID}
			}
		}
		if r.Outcome.Outcome != "cancelled" {
			t.Errorf("the ask has no option %q, which the client chose: %+v", r.Outcome.OptionID, a.Options)
		}
		return &harness.Decision{Option: "none of them"}
	}
}

func captures(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/*.ndjson")
	if err != nil || len(names) != 36 {
		t.Fatalf("%d captures, want 36: %v", len(names), err)
	}
	return names
}

// rawKinds are the kinds of updates that go out as RAW, as doc.go lists them: in
// what the captured agents print there is none.
func rawKinds(json.RawMessage) bool { return false }

func TestCapturesOfRealAgents(t *testing.T) {
	for _, path := range captures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			c := readCapture(t, path)
			open := harnesstest.Pipe(t, &acp{config: c.config})
			start := harness.Start{Run: "r", Prompt: "Do the task", Workspace: harness.Workspace{Root: "/tmp/repo"}}
			r, err := harnesstest.Retelling{Open: open, Start: start, Decide: chosen(t), Cancel: "session/cancel", Timeout: 10 * time.Second}.Run(t.Context(), c.transcript)
			if err != nil {
				t.Fatal(err)
			}
			harnesstest.Golden(t, strings.TrimSuffix(path, ".ndjson")+".golden", r.Record, *updateGolden)

			var requests []string
			again := &reading{}
			for _, m := range written(t, r.Input()) {
				if m.Method != "" {
					requests = append(requests, m.Method)
				}
				if m.Method == "session/prompt" {
					again = readAgain(t, r.Output, m.ID)
				}
			}
			if want := c.methods(t); !slices.Equal(requests, want) {
				t.Errorf("the harness wrote %v; the client that made the capture wrote %v", requests, want)
			}
			compare(t, c, r, again)
			answers(t, c, r)

			first := harnesstest.Replay(t, open, start, r.Output, harnesstest.Options{Slices: 3, Seed: 2, Raw: rawKinds})
			if diff := cmp.Diff(texts(r.Payloads), texts(first.Payloads)); diff != "" {
				t.Errorf("a replay gave other events than the session (-session +replay):\n%s", diff)
			}
		})
	}
}

func TestEndingsOfAnAgent(t *testing.T) {
	start := harness.Start{Run: "r", Prompt: "Do the task", History: []harness.Message{{Role: "user", Text: "earlier words"}}}
	harnesstest.Endings(t, harnesstest.Pipe(t, &acp{config: config{Command: []string{"agent"}}}), start, harnesstest.Options{})
}

// compare holds what the harness made of a capture against the second reading.
func compare(t *testing.T, c capture, r *harnesstest.Retold, want *reading) {
	t.Helper()
	events, err := r.Events()
	if err != nil {
		t.Fatal(err)
	}
	text, thought := harnesstest.Said(events)
	if text != want.text {
		t.Errorf("text %q, want %q", text, want.text)
	}
	if thought != want.thought {
		t.Errorf("reasoning %q, want %q", thought, want.thought)
	}
	compareCalls(t, events, want)
	compareAsks(t, r.Asks, want)
	if got, want := r.Result.Usage, usageOf(want); got != want {
		t.Errorf("usage %+v, want %+v", got, want)
	}
	if got, want := r.Result.Reason, reasonOf(t, c, want); got != want {
		t.Errorf("reason %q, want %q", got, want)
	}
}

func reasonOf(t *testing.T, c capture, want *reading) harness.Reason {
	t.Helper()
	switch {
	case want.stop == "":
		reason, ok := errorReasons[c.name]
		if !ok {
			t.Fatalf("the prompt got an error; say in errorReasons what it is")
		}
		return reason
	case c.canceled:
		return harness.ReasonCanceled
	case want.stop == "cancelled":
		return harness.ReasonDenied
	case want.stop == "end_turn":
		return harness.ReasonOK
	}
	t.Fatalf("stop reason %q: say what it means", want.stop)
	return ""
}

func usageOf(r *reading) harness.Usage {
	n := func(keys ...string) int64 {
		for _, key := range keys {
			if v, ok := r.usage[key].(float64); ok {
				return int64(v)
			}
		}
		return 0
	}
	u := harness.Usage{
		Input: n("inputTokens"), Output: n("outputTokens"), Total: n("totalTokens"), CacheRead: n("cachedReadTokens"),
		CacheWrite: n("cachedWriteTokens", "cacheCreationTokens"), Reasoning: n("thoughtTokens", "reasoningTokens"),
	}
	if u == (harness.Usage{}) {
		u.Total = int64(r.used) // all that is known
	}
	return u
}

func texts(payloads [][]byte) []string {
	var out []string
	for _, p := range payloads {
		out = append(out, string(p))
	}
	return out
}

// call is a tool call as its events tell it.
type call struct {
	id     string
	args   string
	result *agui.ToolCallResult
}

func callsOf(events []agui.Event) []*call {
	var out []*call
	find := func(id string) *call {
		return out[slices.IndexFunc(out, func(c *call) bool { return c.id == id })]
	}
	for _, e := range events {
		switch e := e.(type) {
		case agui.ToolCallStart:
			out = append(out, &call{id: e.ToolCallID})
		case agui.ToolCallArgs:
			find(e.ToolCallID).args += e.Delta
		case agui.ToolCallResult:
			find(e.ToolCallID).result = &e
		}
	}
	return out
}
