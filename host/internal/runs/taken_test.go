package runs

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/journal"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// crowded is a sandbox in which an earlier start comes through after all.
type crowded struct {
	starts []error // of each Start, in order
	exit   sandbox.Exit
	lives  int // how often Alive says yes
	killed []string
}

func (c *crowded) ID() string         { return "crowded" }
func (c *crowded) Info() sandbox.Info { return sandbox.Info{} }

func (c *crowded) Start(context.Context, sandbox.Command) (sandbox.Process, error) {
	err := c.starts[0]
	c.starts = c.starts[1:]
	return ended1{c.exit}, err
}

func (c *crowded) Kill(_ context.Context, proc string, _ time.Duration) error {
	c.killed = append(c.killed, proc)
	return nil
}

func (c *crowded) Alive(context.Context, string) (sandbox.Liveness, error) {
	if c.lives--; c.lives >= 0 {
		return sandbox.AliveYes, nil
	}
	return sandbox.AliveNo, nil
}

// ended1 is a process that has ended.
type ended1 struct{ exit sandbox.Exit }

func (e ended1) PID() int                                   { return 7 }
func (e ended1) Signal(context.Context, int) error          { return nil }
func (e ended1) Resize(context.Context, sandbox.Size) error { return nil }
func (e ended1) Wait(context.Context) (sandbox.Exit, error) { return e.exit, nil }
func (e ended1) Close() error                               { return nil }

// TestAWrapperThatCameSecondIsNotTheAgent: its exit is not the agent's, which an
// earlier attempt has started.
func TestAWrapperThatCameSecondIsNotTheAgent(t *testing.T) {
	exited := func(code int) sandbox.Exit {
		return sandbox.Exit{Code: code, Reason: sandbox.ReasonExited}
	}
	for _, c := range []struct {
		name  string
		exit  sandbox.Exit
		words string
		known bool
	}{
		{"the run was taken", exited(journal.Taken), journal.TakenWords + " in /j", false},
		{"the agent exits with that code", exited(journal.Taken), "", true},
		{"the agent exits", exited(0), "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			box := &crowded{lives: 2}
			p := &pump{drive: &drive{}, sandbox: box, process: ended1{c.exit}}
			if _, err := io.WriteString(&p.wrapperErr, c.words); err != nil {
				t.Fatal(err)
			}
			_, known, err := p.awaitEnd(t.Context())
			if err != nil || known != c.known || (box.lives < 0) == c.known {
				t.Errorf("known: %v, %v; it was asked %d times whether the agent lives", known, err, 2-box.lives)
			}
			_, w := io.Pipe()
			p.stdin = w
			_, _, err = p.awaitEnd(t.Context())
			if lost, ok := errors.AsType[*endError](err); ok == c.known || ok && lost.reason != harness.ReasonAgentLost {
				t.Errorf("of a duplex agent: %v", err)
			}
		})
	}
}

// TestACommandInTheWayOfOursIsEnded is one of a driver that died with its plugin.
func TestACommandInTheWayOfOursIsEnded(t *testing.T) {
	st := openStore(t)
	l := claimed(t, st, "r")
	d := &drive{Engine: &Engine{Store: st, Log: slog.New(slog.DiscardHandler)}, id: "r", run: l.run, epoch: l.epoch, log: l}
	box := &crowded{starts: []error{sandbox.Errorf(sandbox.Conflict, "in use"), nil}}
	if _, err := d.tool(t.Context(), box, sandbox.Command{ID: "which"}); err != nil || len(box.killed) != 1 || len(d.tools) != 0 {
		t.Errorf("error %v; killed %q; open %v", err, box.killed, d.tools)
	}
}

// TestWhatAPluginHadOpenWhenItDiedIsKilled has the plugin die under a command.
func TestWhatAPluginHadOpenWhenItDiedIsKilled(t *testing.T) {
	st := openStore(t)
	l := claimed(t, st, "r")
	d := &drive{Engine: &Engine{Store: st, Log: slog.New(slog.DiscardHandler)}, id: "r", run: l.run, epoch: l.epoch, log: l}
	box := &crowded{starts: []error{sandbox.Errorf(sandbox.Unavailable, "the plugin was killed"), nil}}
	if _, err := d.tool(t.Context(), box, sandbox.Command{ID: "which-1"}); err == nil {
		t.Fatal("no error")
	}
	if _, err := d.tool(t.Context(), box, sandbox.Command{ID: "which-2"}); err != nil {
		t.Fatal(err)
	}
	if err := d.endStrays(t.Context(), box); err != nil || len(box.killed) != 1 || box.killed[0] != "which-1" {
		t.Errorf("error %v; killed %q", err, box.killed)
	}
	if err := d.endStrays(t.Context(), box); err != nil || len(box.killed) != 1 {
		t.Errorf("again: error %v; killed %q", err, box.killed)
	}
}
