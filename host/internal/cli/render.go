package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// renderer shows a run's events: as NDJSON, or for a person.
func (a *app) renderer(run store.Run) func(store.Event) error {
	if a.flags.json {
		return func(e store.Event) error { return a.eventLine(run.ID, e) }
	}
	r := &text{
		app: a, run: run, paint: paint{a.color(a.world.Stderr)}, safe: isTerminal(a.world.Stdout),
		calls: map[string]*call{}, lines: map[string]string{}, structured: runs.Structured(run),
	}
	return r.event
}

// text shows events for a person: the agent's text on stdout, the rest on
// stderr.
type text struct {
	*app
	run    store.Run
	paint  paint
	safe   bool // stdout is a terminal: control characters are shown, not obeyed
	middle bool // stdout is in the middle of a line
	think  bool // and stderr in a stretch of thinking
	calls  map[string]*call
	about  string            // what the call or request that was shown last is about
	denied bool              // and it was denied
	plan   map[string]string // state of each entry of the agent's plan that was shown
	lines  map[string]string // the beginning of a line that setup prints, by stream

	structured bool            // stdout has the answer by the run's schema, and no other text
	answer     json.RawMessage // that answer; the last one counts
	prose      string          // the beginning of a line that the agent says beside it
}

// call is a tool call whose arguments are still coming.
type call struct {
	name string
	args strings.Builder
}

const shownArgs = 4 << 10 // bytes of a call's arguments that are kept for showing

func (r *text) event(e store.Event) error {
	event, err := agui.Unmarshal(e.Payload)
	if c, ok := event.(agui.Custom); !ok || c.Name != "setup.output" {
		r.endSetup()
	}
	if err != nil {
		return fmt.Errorf("event %d of run %s: %w", e.Seq, r.run.ID, err)
	}
	switch ev := event.(type) {
	case agui.TextMessageContent:
		if r.structured {
			r.aside(ev.Delta)
			return nil
		}
		return r.out(ev.Delta)
	case agui.TextMessageEnd:
		if r.structured {
			r.aside("\n")
			return nil
		}
		return r.endLine()
	case agui.ReasoningMessageContent:
		r.thinking(ev.Delta)
	case agui.ReasoningMessageEnd:
		r.endThinking()
	case agui.ToolCallStart:
		r.calls[ev.ToolCallID] = &call{name: ev.ToolCallName}
	case agui.ToolCallArgs:
		if c := r.calls[ev.ToolCallID]; c != nil && c.args.Len() < shownArgs {
			c.args.WriteString(ev.Delta)
		}
	case agui.ToolCallEnd:
		if c := r.calls[ev.ToolCallID]; c != nil {
			r.about = describe(c.args.String())
			r.note("%s %s %s", r.paint.cyan("▸"), r.paint.bold(oneLine(c.name, 60)), oneLine(r.about, 200))
			delete(r.calls, ev.ToolCallID)
			r.denied = false
		}
	case agui.ToolCallResult:
		r.result(ev)
	case agui.Custom:
		r.custom(ev)
	case agui.RunStarted:
		r.note("%s", r.paint.dim(fmt.Sprintf("run %s, thread %s", ev.RunID, ev.ThreadID)))
	case agui.RunFinished:
		if r.answer != nil {
			if err := r.out(string(r.answer) + "\n"); err != nil {
				return err
			}
		}
		r.note("%s %s", r.paint.green("✓"), r.done(e.Time))
	case agui.RunError:
		r.note("%s %s: %s", r.paint.red("✗"), oneLine(ev.Code, 60), indented(ev.Message))
	}
	return nil
}

func (r *text) out(s string) error {
	r.endThinking()
	if r.safe {
		s = printable(s)
	}
	if s == "" {
		return nil
	}
	r.middle = !strings.HasSuffix(s, "\n")
	if _, err := r.world.Stdout.WriteString(s); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

func (r *text) endLine() error {
	if !r.middle {
		return nil
	}
	return r.out("\n")
}

// note writes one line of progress, after whatever line is open.
func (r *text) note(format string, args ...any) {
	r.endThinking()
	if r.middle && isTerminal(r.world.Stdout) {
		_ = r.endLine() // a stdout that is gone is found at the next text
	}
	fmt.Fprintf(r.world.Stderr, format+"\n", args...)
}

func (r *text) thinking(s string) {
	if !r.think {
		r.endThinking()
		fmt.Fprint(r.world.Stderr, r.paint.dim("thinking: "))
		r.think = true
	}
	fmt.Fprint(r.world.Stderr, r.paint.dim(strings.ReplaceAll(printable(s), "\n", "\n  ")))
}

func (r *text) endThinking() {
	if r.think {
		r.think = false
		fmt.Fprintln(r.world.Stderr)
	}
}

func (r *text) result(ev agui.ToolCallResult) {
	const lines = 8
	body, paint := readable(ev.Content), r.paint.dim
	if ev.Error != "" {
		body, paint = r.failure(ev.Error, body), r.paint.red
	}
	body = withoutColor(strings.ReplaceAll(body, "\r\n", "\n")) // as servers answer, and test runners
	shown := strings.Split(strings.TrimRight(body, "\n"), "\n")
	more := len(shown) - lines
	if more > 0 {
		shown = shown[:lines]
	}
	for _, l := range shown {
		if l != "" {
			r.note("  %s", paint(oneLine(l, 200)))
		}
	}
	if more > 0 {
		r.note("  %s", r.paint.dim(fmt.Sprintf("… %d more lines", more)))
	}
}

// failure tells why a call came to nothing. Of one that was denied the line
// above says it already, and an agent only repeats that in its own words.
func (r *text) failure(what, content string) string {
	denied := r.denied
	r.denied = false
	if denied || strings.TrimSpace(content) == "" {
		return what
	}
	return what + ": " + strings.TrimLeft(content, "\r\n")
}

func (r *text) custom(ev agui.Custom) {
	var v struct {
		Phase, State, Detail string
		MS                   int64 `json:"ms"`
		Code, Text           string
		Kind, Target, Title  string
		Rule, Decision, By   string
		Scope                string
		Stream               string
		Entries              []planEntry
		Files                int
		Added, Removed       int
		Object               json.RawMessage
	}
	if json.Unmarshal(ev.Value, &v) != nil {
		return
	}
	switch ev.Name {
	case "sandbox.phase":
		r.phase(v.Phase, v.State, v.Detail, v.MS)
	case "setup.output":
		r.setup(v.Stream, v.Text)
	case agui.CustomWarning:
		r.note("%s %s", r.paint.yellow("!"), indented(v.Text))
	case agui.CustomPlan:
		r.planned(v.Entries)
	case agui.CustomStructuredOutput:
		r.answer = v.Object
	case agui.CustomFileChanged:
		r.note("%s", r.paint.dim(changes(v.Files, v.Added, v.Removed)+"; see them with: sandlot diff "+r.run.ID))
	case "approval.requested":
		r.note("%s the agent asks, by rule %s: %s", r.paint.yellow("?"), oneLine(v.Rule, 120), r.paint.bold(oneLine(v.Kind, 40)))
		r.about = or(v.Target, v.Title)
		r.note("%s", quoted(r.about, r.width()))
	case "approval.decided":
		word, color := "allowed", r.paint.green
		if v.Decision != string(store.Allow) {
			word, color, r.denied = "denied", r.paint.red, true
		}
		by := v.By
		switch {
		case by == "policy":
			by += ", rule " + v.Rule
		case !strings.HasPrefix(by, "--"): // the flag's name tells that it is for the run
			by += runs.ForWhat(v.Scope)
		}
		line := color(word + " by " + oneLine(by, 150))
		if by == runs.ByWithdrawal {
			line = r.paint.dim("withdrawn: the agent waits for the answer no longer")
		}
		if v.Target != "" && v.Target != r.about { // nothing above tells what it was
			line += ": " + oneLine(v.Target, 200)
		}
		r.note("  %s", line)
	}
}

func (r *text) phase(name, state, detail string, ms int64) {
	took := (time.Duration(ms) * time.Millisecond).String()
	switch state {
	case "done":
		r.note("%s", r.paint.dim(fmt.Sprintf("%s %s, %s", oneLine(name, 40), oneLine(detail, 120), took)))
	case "progress":
		r.note("%s", r.paint.dim(oneLine(name+": "+detail, 160)))
	case "failed":
		detail, _, _ = strings.Cut(detail, "\n") // the run's end tells the rest
		r.note("%s", r.paint.red(fmt.Sprintf("%s failed after %s: %s", oneLine(name, 40), took, oneLine(detail, 300))))
	}
}

func (r *text) done(at time.Time) string {
	s := "done"
	if took := at.Sub(r.run.Created); took > 0 {
		s += " in " + took.Round(100*time.Millisecond).String()
	}
	return s
}

// describe picks what tells a call best out of its arguments.
func describe(args string) string {
	var v map[string]any
	if json.Unmarshal([]byte(args), &v) == nil {
		for _, key := range []string{"command", "cmd", "path", "file_path", "filePath", "url", "title"} {
			if s, ok := v[key].(string); ok {
				return s
			}
		}
	}
	return args
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
