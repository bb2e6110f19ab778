//go:build unix

package plugin_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// scripted is a harness that is one function.
type scripted func(ctx context.Context, s *harness.Session) error

func (f scripted) Run(ctx context.Context, s *harness.Session) error { return f(ctx, s) }

// echo tells each batch of lines as one text event and ends with Exit.
func echo(_ context.Context, s *harness.Session) error {
	s.Launch(harness.Launch{Argv: []string{"agent", s.Start().Model}, Stdin: harness.StdinDuplex})
	for {
		m, err := s.Next()
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case *harness.Lines:
			s.Emit(agui.TextMessageContent{MessageID: s.NewID(), Delta: fmt.Sprint(len(m.Data))})
		case *harness.Exit:
			return s.Done(harness.Result{Reason: harness.ReasonOK, Session: "s-1"})
		}
	}
}

func open(t *testing.T, o plugin.Opener) harness.Host {
	t.Helper()
	h, err := o.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return h
}

func send(t *testing.T, h harness.Host, list ...harness.ToHarness) {
	t.Helper()
	for _, m := range list {
		if err := h.Send(t.Context(), m); err != nil {
			t.Fatalf("send %T: %v", m, err)
		}
	}
}

func recv[M harness.FromHarness](t *testing.T, h harness.Host) M {
	t.Helper()
	m, err := h.Recv(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, ok := m.(M)
	if !ok {
		t.Fatalf("got %T %+v", m, m)
	}
	return got
}

// converse is one whole session of echo.
func converse(t *testing.T, o plugin.Opener) {
	t.Helper()
	h := open(t, o)
	send(t, h, &harness.Start{Run: "r", Model: "m"})
	if l := recv[*harness.Launch](t, h); !cmp.Equal(l.Argv, []string{"agent", "m"}) {
		t.Errorf("launch: got %+v", l)
	}
	big := bytes.Repeat([]byte("x"), 32<<20)
	send(t, h, &harness.Lines{Data: append(big, '\n'), End: int64(len(big) + 1)})
	events := recv[*harness.Events](t, h)
	if events.JournalEnd != int64(len(big)+1) || len(events.Payloads) != 1 || !strings.Contains(string(events.Payloads[0]), `"33554433"`) {
		t.Errorf("events: end %d, %d payloads", events.JournalEnd, len(events.Payloads))
	}
	send(t, h, &harness.Exit{Known: true})
	if d := recv[*harness.Done](t, h); d.Result.Session != "s-1" || d.Result.Reason != harness.ReasonOK {
		t.Errorf("done: got %+v", d)
	}
	if m, err := h.Recv(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after done: got %v, %v", m, err)
	}
	if err := h.Send(t.Context(), &harness.Cancel{}); err == nil {
		// One may still have been taken by the pump; the next can't be.
		err = h.Send(t.Context(), &harness.Cancel{})
		if !errors.Is(err, io.EOF) {
			t.Errorf("send after done: got %v", err)
		}
	}
}

func TestASessionCrossesTheWire(t *testing.T) {
	o := plugin.HarnessPipe(t, scripted(echo))
	t.Run("once", func(t *testing.T) { converse(t, o) })
	t.Run("and beside others", func(t *testing.T) {
		for range 3 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				converse(t, o)
			})
		}
	})
}

func TestAHarnessProcessTranslates(t *testing.T) {
	c, log := launched(t, func(o *plugin.LaunchOptions) { o.Path = os.Getenv("TEST_HARNESS") })
	if d := c.Description(); d.Kind != plugin.KindHarness || d.Traits == nil || d.Traits.Program != "echo" || d.Capabilities != nil {
		t.Errorf("description: got %+v", d)
	}
	o, err := c.Harness(t.Context(), plugin.Configure{Config: []byte(`{"model":"m"}`)})
	if err != nil {
		t.Fatal(err)
	}
	converse(t, o)
	log.await(t, "session of m")
}

func TestASessionThatEndsWithoutAResultIsAnError(t *testing.T) {
	cases := []struct {
		name  string
		run   scripted
		class sandbox.Class
		say   string
	}{
		{"it just returns", func(context.Context, *harness.Session) error { return nil }, sandbox.Internal, "without a result"},
		{"it returns an error with a class", func(context.Context, *harness.Session) error {
			return sandbox.Errorf(sandbox.Invalid, "no such model")
		}, sandbox.Invalid, "no such model"},
		{"it panics", func(context.Context, *harness.Session) error { panic("a bug") }, sandbox.Internal, "the piped plugin crashed (panic: a bug) in Run"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := open(t, plugin.HarnessPipe(t, c.run))
			send(t, h, &harness.Start{Run: "r"})
			_, err := h.Recv(t.Context())
			if !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.say) {
				t.Errorf("got %v (%s), want %s with %q", err, sandbox.ClassOf(err), c.class, c.say)
			}
		})
	}
}

func TestAnErrorAfterTheResultChangesNothing(t *testing.T) {
	h := open(t, plugin.HarnessPipe(t, scripted(func(_ context.Context, s *harness.Session) error {
		return errors.Join(s.Done(harness.Result{Reason: harness.ReasonOK}), errors.New("late"))
	})))
	send(t, h, &harness.Start{Run: "r"})
	recv[*harness.Done](t, h)
	if _, err := h.Recv(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
}

func TestTheFirstMessageMustBeStart(t *testing.T) {
	h := open(t, plugin.HarnessPipe(t, scripted(echo)))
	send(t, h, &harness.Cancel{})
	if _, err := h.Recv(t.Context()); err == nil || !strings.Contains(err.Error(), "start") {
		t.Errorf("got %v", err)
	}
}

func TestClosingASessionEndsTheHarness(t *testing.T) {
	ended := make(chan error, 1)
	h := open(t, plugin.HarnessPipe(t, scripted(func(_ context.Context, s *harness.Session) error {
		s.Provision(harness.Provision{})
		_, err := s.Next()
		ended <- err
		return err
	})))
	send(t, h, &harness.Start{Run: "r"})
	recv[*harness.Provision](t, h)
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("Next returned a message")
	}
	if _, err := h.Recv(t.Context()); !errors.Is(err, sandbox.Canceled) {
		t.Errorf("recv after close: got %v", err)
	}
}

func TestAHarnessThatDoesNotReadBlocksItsHost(t *testing.T) {
	h := open(t, plugin.HarnessPipe(t, scripted(func(ctx context.Context, _ *harness.Session) error {
		<-ctx.Done()
		return ctx.Err()
	})))
	send(t, h, &harness.Start{Run: "r"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var sent atomic.Int64
	ended := make(chan error, 1)
	go func() {
		var err error
		for err == nil {
			if err = h.Send(ctx, &harness.Lines{Data: make([]byte, 256<<10)}); err == nil {
				sent.Add(1)
			}
		}
		ended <- err
	}()
	// All buffers together hold a few MiB; then Send waits until its context ends.
	if n := settled(t, sent.Load); n == 0 || n > 100 {
		t.Errorf("%d batches of 256 KiB were taken by a harness that reads none", n)
	}
	cancel()
	if err := <-ended; !errors.Is(err, sandbox.Canceled) {
		t.Errorf("send: got %v", err)
	}
}

func TestAHarnessIsNotConfiguredYet(t *testing.T) {
	c, _ := launched(t, func(o *plugin.LaunchOptions) { o.Path = os.Getenv("TEST_HARNESS") })
	if _, err := c.Harness(t.Context(), plugin.Configure{Config: []byte(`{"model":"refuse"}`)}); !errors.Is(err, sandbox.Unauthenticated) {
		t.Errorf("got %v", err)
	}
	if _, err := c.Provider(t.Context(), plugin.Configure{}); !errors.Is(err, sandbox.Invalid) {
		t.Errorf("provider of a harness: got %v", err)
	}
}
