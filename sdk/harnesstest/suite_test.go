package harnesstest_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/harnesstest"
)

const output = "one\ntwo\nask\nthree\n\xe4\xbd\xa0\nlast"

var start = harness.Start{Run: "run", Prompt: "do the task"}

// echo is a good harness with hooks to spoil it.
type echo struct {
	launch   func(s *harness.Session, l *harness.Launch)
	launched func(s *harness.Session)
	batch    func(s *harness.Session)
	id       func(s *harness.Session) string
	text     func(s *harness.Session, id, line string)
	stderr   func(s *harness.Session)
	decision func(s *harness.Session)
	cancel   func(s *harness.Session)
	done     func(s *harness.Session, r harness.Result) error
}

func good() *echo {
	none := func(*harness.Session) {}
	return &echo{
		launch: func(*harness.Session, *harness.Launch) {}, launched: none, batch: none, stderr: none, decision: none, cancel: none,
		id: (*harness.Session).NewID,
		text: func(s *harness.Session, id, line string) {
			s.Emit(agui.TextMessageStart{MessageID: id, Role: "assistant"})
			s.Emit(agui.TextMessageContent{MessageID: id, Delta: line})
			s.Emit(agui.TextMessageEnd{MessageID: id})
		},
		done: (*harness.Session).Done,
	}
}

func (e *echo) Run(_ context.Context, s *harness.Session) error {
	l := harness.Launch{Argv: []string{"agent"}}
	e.launch(s, &l)
	s.Launch(l)
	e.launched(s)
	canceled := false
	for {
		m, err := s.Next()
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case *harness.Lines:
			e.batch(s)
			for line := range bytes.Lines(m.Data) {
				text := strings.TrimSpace(string(line))
				if text == "ask" {
					s.Ask(harness.Ask{Kind: harness.AskTool, Target: "tool", Title: "a tool"})
				}
				if text != "" {
					e.text(s, e.id(s), text)
				}
			}
		case *harness.Stderr:
			e.stderr(s)
		case *harness.Decision:
			e.decision(s)
		case *harness.Cancel:
			canceled = true
			e.cancel(s)
		case *harness.Exit:
			return e.done(s, result(m, canceled))
		}
	}
}

func result(e *harness.Exit, canceled bool) harness.Result {
	words := fmt.Sprintf("code %d signal %d %s", e.Code, e.Signal, e.Stderr)
	switch {
	case canceled:
		return harness.Result{Reason: harness.ReasonCanceled, Message: "canceled"}
	case e.Known && e.Code == 0:
		return harness.Result{Reason: harness.ReasonOK}
	case e.Code == 127:
		return harness.Result{Reason: harness.ReasonCLIMissing, Message: words}
	}
	return harness.Result{Reason: harness.ReasonCrashed, Message: words}
}

func TestAGoodHarnessPasses(t *testing.T) {
	r := harnesstest.Replay(t, harnesstest.Direct(good()), start, []byte(output), harnesstest.Options{})
	harnesstest.Endings(t, harnesstest.Direct(good()), start, harnesstest.Options{})
	if got, want := len(r.Payloads), 6*3; got != want {
		t.Errorf("%d events, want %d", got, want)
	}
}

func TestEachFaultIsFound(t *testing.T) {
	warn := func(s *harness.Session) { s.Emit(agui.NewWarning("code", "text")) }
	for _, c := range []struct {
		name  string
		spoil func(e *echo)
		want  string
	}{
		{"ids that differ each time", func(e *echo) {
			e.id = func(*harness.Session) string { return fmt.Sprint(rand.Uint64()) }
		}, "other events"},
		{"events that depend on the batch", func(e *echo) { e.batch = warn }, "reads of one byte"},
		{"an event for stderr", func(e *echo) { e.stderr = warn }, "stderr in between"},
		{"an event for a decision", func(e *echo) { e.decision = warn }, "other events"},
		{"an event for a cancel", func(e *echo) { e.cancel = warn }, "with a cancel"},
		{"an id spent on a cancel", func(e *echo) { e.cancel = func(s *harness.Session) { s.NewID() } }, "with a cancel"},
		{"a message without its end", func(e *echo) {
			e.text = func(s *harness.Session, id, _ string) {
				s.Emit(agui.TextMessageStart{MessageID: id, Role: "assistant"})
			}
		}, "still an open text message"},
		{"content after the end", func(e *echo) {
			text := e.text
			e.text = func(s *harness.Session, id, line string) {
				text(s, id, line)
				s.Emit(agui.TextMessageContent{MessageID: id, Delta: line})
			}
		}, "is closed"},
		{"an event of the host's", func(e *echo) {
			e.text = func(s *harness.Session, _, _ string) { s.Emit(agui.RunFinished{}) }
		}, "only the host makes these"},
		{"arguments that are no JSON", func(e *echo) {
			e.text = func(s *harness.Session, id, _ string) {
				s.Emit(agui.ToolCallStart{ToolCallID: id, ToolCallName: "t"})
				s.Emit(agui.ToolCallArgs{ToolCallID: id, Delta: `{"a":1}{"a":1}`})
				s.Emit(agui.ToolCallEnd{ToolCallID: id})
				s.Emit(agui.ToolCallResult{MessageID: "m", ToolCallID: id, Role: "tool"})
			}
		}, "aren't one JSON value"},
		{"a tool call without its result", func(e *echo) {
			e.text = func(s *harness.Session, id, _ string) {
				s.Emit(agui.ToolCallStart{ToolCallID: id, ToolCallName: "t"})
				s.Emit(agui.ToolCallEnd{ToolCallID: id})
			}
		}, "without its result"},
		{"reasoning outside of a stretch", func(e *echo) {
			e.text = func(s *harness.Session, id, _ string) {
				s.Emit(agui.ReasoningMessageStart{MessageID: id, Role: "reasoning"})
				s.Emit(agui.ReasoningMessageEnd{MessageID: id})
			}
		}, "outside of REASONING_START"},
		{"two launches", func(e *echo) { e.launch = func(s *harness.Session, l *harness.Launch) { s.Launch(*l) } }, "2 Launch messages"},
		{"an event before the launch", func(e *echo) {
			e.launch = func(s *harness.Session, _ *harness.Launch) { warn(s); s.Write([]byte("x")) }
		}, "before Launch"},
		{"the prompt in argv", func(e *echo) {
			e.launch = func(s *harness.Session, l *harness.Launch) { l.Argv = append(l.Argv, s.Start().Prompt) }
		}, "the prompt is in argv"},
		{"a secret in argv", func(e *echo) {
			e.launch = func(_ *harness.Session, l *harness.Launch) { l.Argv = append(l.Argv, "--key=hunter22") }
		}, "a secret is in argv"},
		{"a reason of its own", func(e *echo) {
			e.done = func(s *harness.Session, _ harness.Result) error {
				return s.Done(harness.Result{Reason: "fine", Message: "m"})
			}
		}, "none that a harness may give"},
		{"a failure without words", func(e *echo) {
			e.done = func(s *harness.Session, _ harness.Result) error {
				return s.Done(harness.Result{Reason: harness.ReasonCrashed})
			}
		}, "without a message"},
		{"no done", func(e *echo) {
			e.done = func(*harness.Session, harness.Result) error { return nil }
		}, "without Done"},
		{"silence after the exit", func(e *echo) {
			e.done = func(s *harness.Session, _ harness.Result) error {
				for {
					if _, err := s.Next(); err != nil {
						return err
					}
				}
			}
		}, "deadline exceeded"},
		{"a panic", func(e *echo) { e.batch = func(*harness.Session) { panic("at the disco") } }, "at the disco"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := good()
			c.spoil(e)
			got := failures(t, func(f harnesstest.T) {
				harnesstest.Replay(f, harnesstest.Direct(e), start, []byte(output),
					harnesstest.Options{Secrets: []string{"hunter22"}, Timeout: 2 * time.Second})
			})
			if !strings.Contains(got, c.want) {
				t.Errorf("the suite should say %q; it said:\n%s", c.want, got)
			}
		})
	}
}

func TestEndingsFindAHarnessThatTrustsTheExitCodeOnly(t *testing.T) {
	e := good()
	e.done = func(s *harness.Session, _ harness.Result) error {
		return s.Done(harness.Result{Reason: harness.ReasonOK})
	}
	got := failures(t, func(f harnesstest.T) { harnesstest.Endings(f, harnesstest.Direct(e), start, harnesstest.Options{}) })
	for _, want := range []string{"an agent that was killed: reason ok", "an agent that vanished: reason ok", `an agent that wasn't found: reason "ok"`, `a cancel before the first line: reason "ok"`} {
		if !strings.Contains(got, want) {
			t.Errorf("the suite should say %q; it said:\n%s", want, got)
		}
	}
}

// failures runs a part of the suite and returns what it complains of.
func failures(t *testing.T, run func(harnesstest.T)) string {
	t.Helper()
	f := &fake{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(f)
	}()
	<-done
	return f.said.String()
}

type fake struct{ said strings.Builder }

func (f *fake) Helper()                           {}
func (f *fake) Logf(string, ...any)               {}
func (f *fake) Errorf(format string, args ...any) { fmt.Fprintf(&f.said, format+"\n", args...) }
func (f *fake) Fatalf(format string, args ...any) { f.Errorf(format, args...); runtime.Goexit() }
