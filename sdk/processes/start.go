package processes

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/sandlot-dev/sandlot/sdk/proctree"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// killGrace is what processes get between TERM and KILL where the caller
// names none.
const killGrace = 500 * time.Millisecond

// Place is where the processes of one sandbox are started.
type Place struct {
	Forest   *proctree.Forest // opened on StateDir
	StateDir string           // absolute; long scripts and the output of detached processes go through files in it
	Memory   *Memory          // explains ends, and has the kernel take commands before this program; nil: does neither
	Log      hclog.Logger     // told of processes that can't be killed; nil: nothing is logged
}

// Start runs the program of spec as cmd says; cmd's own argv, script, folder and
// environment aren't looked at, but for a script too long for an argument. A
// program that can't be executed is a process that has exited with 126 or 127.
// The error is proctree's or the operating system's; see Classify.
func (pl Place) Start(ctx context.Context, cmd sandbox.Command, spec proctree.Spec) (sandbox.Process, error) {
	p := &process{place: pl, cmd: cmd, done: make(chan struct{}), limit: &limit{max: cmd.MaxOutput}}
	spec.Bound = !cmd.Detached
	p.waiting, p.stop = context.WithCancelCause(context.Background())
	if err := p.connect(&spec); err != nil {
		p.disconnect()
		return nil, err
	}
	pl.Memory.begin()
	tree, err := pl.Forest.Start(ctx, spec)
	if err != nil {
		pl.Memory.end()
	} else if pl.Memory != nil {
		offer(tree.PID())
	}
	closeFiles(p.theirs)
	if code, ok := shellCode(err); ok {
		p.disconnect()
		p.exit = sandbox.Exit{Code: code, Reason: sandbox.ReasonExited, Message: err.Error()}
		close(p.done)
		return p, nil
	}
	if err != nil {
		p.disconnect()
		return nil, err
	}
	p.tree = tree
	p.run(ctx)
	return p, nil
}

func (pl Place) log() hclog.Logger {
	if pl.Log == nil {
		return hclog.NewNullLogger()
	}
	return pl.Log
}

// shellCode is what a shell would exit with where a program can't be executed.
func shellCode(err error) (int, bool) {
	switch {
	case errors.Is(err, proctree.ErrNotFound):
		return 127, true
	case errors.Is(err, proctree.ErrNotExecutable):
		return 126, true
	}
	return 0, false
}
