package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/harnesstest"
)

// tape is a session in one goroutine: what the host sends is written down
// before, what the harness sends is kept.
type tape struct {
	steps []step
	sent  []harness.FromHarness
}

// step makes the next message of the host out of what came so far.
type step func(*tape) harness.ToHarness

func (p *tape) Recv(context.Context) (harness.ToHarness, error) {
	if len(p.steps) == 0 {
		return nil, io.EOF
	}
	next := p.steps[0]
	p.steps = p.steps[1:]
	return next(p), nil
}

func (p *tape) Send(_ context.Context, m harness.FromHarness) error {
	p.sent = append(p.sent, m)
	return nil
}

// unfinished at the end of the last line says that its newline never came.
const unfinished = "<"

// prints is what the CLI prints, a line each.
func prints(lines ...string) step {
	var data bytes.Buffer
	for _, l := range lines {
		data.WriteString(l + "\n")
	}
	if n := len(lines); n > 0 && strings.HasSuffix(lines[n-1], unfinished) {
		data.Truncate(data.Len() - len(unfinished) - 1)
	}
	return func(*tape) harness.ToHarness { return &harness.Lines{Data: data.Bytes(), End: int64(data.Len())} }
}

// decides answers the last Ask.
func decides(d harness.Decision) step {
	return func(p *tape) harness.ToHarness {
		asks := sentOf[*harness.Ask](p)
		d.Ask = asks[len(asks)-1].ID
		return &d
	}
}

func cancels(*tape) harness.ToHarness { return &harness.Cancel{} }

func exits(e harness.Exit) step {
	return func(*tape) harness.ToHarness { return &e }
}

// free is a policy that allows everything; the zero value asks.
func free() harness.Policy { return harness.Policy{Default: "allow", FileWrite: "allow"} }

// play runs one session; it ends with exit code 0 unless the steps say how.
func play(t *testing.T, c config, start harness.Start, steps ...step) *tape {
	t.Helper()
	start.Run = "r"
	if start.Prompt == "" {
		start.Prompt = "do the task"
	}
	p := &tape{steps: append([]step{func(*tape) harness.ToHarness { return &start }}, steps...)}
	p.steps = append(p.steps, exits(harness.Exit{Known: true, Message: "exit code 0"}))
	s, err := harness.Open(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := (&claude{config: c}).Run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	for _, problem := range harnesstest.Order(p.decoded(t)) {
		t.Errorf("order of events: %s", problem)
	}
	return p
}

func (p *tape) result(t *testing.T) harness.Result {
	t.Helper()
	done := sentOf[*harness.Done](p)
	if len(done) != 1 {
		t.Fatalf("%d Done messages, want one", len(done))
	}
	return done[0].Result
}

func (p *tape) launch(t *testing.T) *harness.Launch {
	t.Helper()
	all := sentOf[*harness.Launch](p)
	if len(all) != 1 {
		t.Fatalf("%d launches, want one", len(all))
	}
	return all[0]
}

// written is what went to the CLI's stdin, a string a line; "EOF" is its end.
func (p *tape) written() []string {
	var out []string
	for _, in := range sentOf[*harness.Input](p) {
		if len(in.Data) > 0 {
			out = append(out, string(bytes.TrimSuffix(in.Data, []byte("\n"))))
		}
		if in.EOF {
			out = append(out, "EOF")
		}
	}
	return out
}

// events are the events, encoded.
func (p *tape) events() []string {
	var out []string
	for _, e := range sentOf[*harness.Events](p) {
		for _, payload := range e.Payloads {
			out = append(out, string(payload))
		}
	}
	return out
}

func (p *tape) decoded(t *testing.T) []agui.Event {
	t.Helper()
	var out []agui.Event
	for _, payload := range p.events() {
		e, err := agui.Unmarshal([]byte(payload))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func sentOf[M harness.FromHarness](p *tape) []M {
	var out []M
	for _, m := range p.sent {
		if m, ok := m.(M); ok {
			out = append(out, m)
		}
	}
	return out
}
