package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

func (a *app) forkCmd() *cobra.Command {
	var thread string
	c := &cobra.Command{
		Use:   "fork SANDBOX|SNAPSHOT",
		Short: "Copy a sandbox for another thread",
		Long: "Make a sandbox with the files that another has now, or that a snapshot has, and print its id. It is\n" +
			"that of a thread of its own: sandlot run --thread NAME works there, with the configuration that the\n" +
			"first was made with. Without --thread a new thread is started, whose name is told. The conversation\n" +
			"isn't copied, nor are processes. SANDBOX is its id, an unambiguous start of it, or the name of a\n" +
			"sandbox block of which only one instance exists; SNAPSHOT an id, or a start of it, of sandlot\n" +
			"snapshot list.",
		Example: "  sandlot fork quickstart --thread try-it\n  sandlot run --thread try-it 'Rewrite it in another way.'",
		Args:    args(1, 1, "one argument, the sandbox or snapshot"),
		RunE:    func(c *cobra.Command, ref []string) error { return a.fork(c.Context(), ref[0], thread) },
	}
	c.Flags().StringVar(&thread, "thread", "", "`NAME` of the thread whose sandbox it is (default: a new one)")
	return c
}

func (a *app) fork(ctx context.Context, ref, thread string) error {
	if err := checkName("--thread", thread); err != nil {
		return err
	}
	st, home, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	ctx, heard := a.untilSignal(ctx)
	defer heard.stop()
	made, err := a.forkOf(ctx, st, ref, runs.ForkRequest{Thread: thread, Tell: a.copyPhase, Opened: a.openedThread})
	if busy, ok := errors.AsType[*store.ThreadBusyError](err); ok {
		return a.startError(context.WithoutCancel(ctx), st, home, busy)
	}
	if err != nil {
		return heard.or(err)
	}
	return a.upped(made)
}

// openedThread tells a person which thread a sandbox is for.
func (a *app) openedThread(name string) {
	if !a.flags.json {
		a.dim("thread %s", name)
	}
}

// forkOf copies the sandbox, or else makes one of the snapshot, that a person means.
func (a *app) forkOf(ctx context.Context, st *store.Store, ref string, req runs.ForkRequest) (runs.Upped, error) {
	rows, err := st.FindSandboxes(ctx, ref)
	if err != nil {
		return runs.Upped{}, fmt.Errorf("find sandbox %q: %w", ref, err)
	}
	if len(rows) == 0 {
		snapshots, err := st.FindSnapshots(ctx, ref)
		switch {
		case err != nil:
			return runs.Upped{}, fmt.Errorf("find snapshot %q: %w", ref, err)
		case len(snapshots) > 1:
			return runs.Upped{}, severalFit(ref, snapshots)
		case len(snapshots) == 0:
			return runs.Upped{}, fmt.Errorf("find sandbox or snapshot %q: there is none with that id or start of an id, nor a sandbox block of that name, in %s", ref, st.Path())
		}
		engine, err := a.stderrEngine(st)
		if err != nil {
			return runs.Upped{}, err
		}
		return engine.ForkSnapshot(ctx, snapshots[0], req)
	}
	v, done, err := a.visit(ctx, ref, "sandlot fork")
	if err != nil {
		return runs.Upped{}, err
	}
	defer done()
	return v.Fork(ctx, req)
}
