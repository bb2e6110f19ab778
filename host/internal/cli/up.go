package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

type upFlags struct{ sandbox, thread string }

func (a *app) upCmd() *cobra.Command {
	var f upFlags
	c := &cobra.Command{
		Use:   "up",
		Short: "Make a sandbox ready without running the agent",
		Long: "Make the sandbox of a thread, with its source and setup, or resume it, and print its id.\n" +
			"The thread's next run uses it: sandlot run --thread NAME. Without --thread a new thread is\n" +
			"started, whose name is told. What was half made when it fails, or at Ctrl-C, is removed.",
		Example: "  sandlot up --thread pr-17\n" +
			"  sandlot exec -it \"$(sandlot up --sandbox review)\" -- sh",
		Args: args(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error { return a.up(c.Context(), f) },
	}
	s := c.Flags()
	s.StringVar(&f.sandbox, "sandbox", "", "sandbox `BLOCK` to make (default: the only one)")
	s.StringVar(&f.thread, "thread", "", "`NAME` of the thread whose sandbox it is (default: a new one)")
	return c
}

func (a *app) up(ctx context.Context, f upFlags) error {
	if err := checkName("--thread", f.thread); err != nil {
		return err
	}
	project, spec, err := a.block(ctx, f.sandbox, "")
	if err != nil {
		return err
	}
	if err := runs.CheckSecrets(ctx, spec, a.world.env, project.SecretValues()); err != nil {
		return usagef("%w", err)
	}
	st, home, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	engine, err := a.stderrEngine(st)
	if err != nil {
		return err
	}
	engine.Values = project.SecretValues()
	ctx, heard := a.untilSignal(ctx)
	defer heard.stop()
	show := &upShow{app: a, event: a.upEvents()}
	req := runs.UpRequest{Spec: spec, Thread: f.thread, Tell: show.tell, Opened: a.openedThread}
	made, err := a.unlessForced(heard, func() (runs.Upped, error) { return engine.Up(ctx, req) })
	show.end()
	switch {
	case errors.Is(err, runs.ErrPerRun):
		return usagef("sandbox %q: reuse is \"none\", so that each run makes its own; there is nothing to prepare", spec.Block)
	case heard.ended() && err != nil:
		return a.leftUp(ctx, err)
	case err != nil:
		return a.startError(context.WithoutCancel(ctx), st, home, err)
	}
	return a.upped(made)
}

// unlessForced waits for work, until it is wanted to be left alone.
func (a *app) unlessForced(h *heard, work func() (runs.Upped, error)) (made runs.Upped, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		made, err = work()
	}()
	select {
	case <-done:
		return made, err
	case <-h.again:
		return runs.Upped{}, errForced
	}
}

// leftUp tells what became of a sandbox that was given up.
func (a *app) leftUp(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, errForced):
		a.note("left as it is; what is half made goes with the next sandlot up of this thread, or with sandlot destroy")
	case errors.Is(err, context.Canceled), errors.Is(err, context.Cause(ctx)):
		a.note("canceled; nothing half made is left")
	default:
		return &exitErr{code: exitCanceled, err: err}
	}
	return said(exitCanceled)
}

func (a *app) upped(made runs.Upped) error {
	if a.flags.json {
		return a.line(upLine{"sandbox", made.Sandbox, made.Root, made.Thread, made.Resumed})
	}
	_, err := fmt.Fprintln(a.world.Stdout, made.Sandbox)
	return err
}

type upLine struct {
	Type    string `json:"type"` // "sandbox"
	Sandbox string `json:"sandbox"`
	Root    string `json:"root"`
	Thread  string `json:"thread"`
	Resumed bool   `json:"resumed"`
}

// upShow shows what happens while a sandbox is made; the first line that can't be
// written is the last.
type upShow struct {
	*app
	event func(store.Event) error
	err   error
}

func (s *upShow) tell(e store.Event) {
	if s.err == nil {
		s.err = s.event(e)
	}
}

func (s *upShow) end() {
	if s.err != nil {
		s.note("not all of it could be shown: %v", s.err)
	}
}

// upEvents shows events as a run's are, without its id and number.
func (a *app) upEvents() func(store.Event) error {
	if !a.flags.json {
		return a.renderer(store.Run{})
	}
	return func(e store.Event) error {
		return a.line(upEventLine{"event", e.Time.UTC(), e.Payload})
	}
}

type upEventLine struct {
	Type  string          `json:"type"` // "event"
	Time  time.Time       `json:"time"`
	Event json.RawMessage `json:"event"`
}

// dim tells something on stderr that is rarely read.
func (a *app) dim(format string, args ...any) {
	p := paint{a.color(a.world.Stderr)}
	fmt.Fprintln(a.world.Stderr, p.dim(fmt.Sprintf(format, args...)))
}
