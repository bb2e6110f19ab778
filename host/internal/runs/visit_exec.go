package runs

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Exec is a command in a sandbox that is visited.
type Exec struct {
	Command sandbox.Command               // its ID is made by Exec; not detached
	Started func(process sandbox.Process) // called once it runs, e.g. to resize its terminal later; may be nil
	Force   <-chan struct{}               // closed by who doesn't want to wait for the grace after ctx has ended; may be nil
}

// Exec runs a command to its end and says how it ended. When ctx ends, the
// command gets TERM, 5 s later KILL, and with it all that it has started; the
// error is then ctx's cause, and nothing is left. When the plugin dies, what the
// command has left is ended by another one, and the error says so.
func (v *Visit) Exec(ctx context.Context, x Exec) (sandbox.Exit, error) {
	cmd := x.Command
	cmd.ID, cmd.Detached = "exec-"+uuid.NewString(), false
	// The end of ctx reaches a process that is being started, and not one that
	// runs: that gets a longer grace than the plugin gives it.
	starting, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	runs := context.AfterFunc(ctx, giveUp)
	p, err := v.sandbox.Start(starting, cmd)
	ended := !runs()
	if err != nil {
		if ended && errors.Is(err, sandbox.Canceled) { // the plugin has ended what there was
			err = context.Cause(ctx)
		}
		return unknownExit(), err
	}
	defer p.Close()
	if x.Started != nil {
		x.Started(p)
	}
	exit, err := p.Wait(ctx)
	if err != nil && ctx.Err() != nil {
		if kerr := v.end(ctx, cmd.ID, x.Force); kerr != nil {
			return exit, fmt.Errorf("%w; the command may still run: %w", context.Cause(ctx), kerr)
		}
		return exit, context.Cause(ctx)
	}
	return exit, err
}

// end kills a command that isn't wanted any more, at once when force is closed.
func (v *Visit) end(ctx context.Context, id string, force <-chan struct{}) error {
	const most = killTimeout + exitGrace
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
	defer cancel()
	ended := make(chan error, 2)
	go func() { ended <- v.sandbox.Kill(ctx, id, exitGrace) }()
	select {
	case err := <-ended:
		return err
	case <-force:
	}
	go func() { ended <- v.sandbox.Kill(ctx, id, 0) }()
	return <-ended
}

func unknownExit() sandbox.Exit { return sandbox.Exit{Code: -1, Reason: sandbox.ReasonUnknown} }

// ExitCode is what a shell would exit with after a command that ended so; false
// if nobody knows how it ended.
func ExitCode(e sandbox.Exit) (code int, known bool) {
	const (
		timedOut  = 124 // as timeout(1) says it
		signalled = 128
	)
	switch {
	case e.Reason == sandbox.ReasonExited && e.Signal == 0:
		return e.Code, true
	case e.Reason == sandbox.ReasonTimedOut:
		return timedOut, true
	case e.Signal > 0:
		return signalled + e.Signal, true
	}
	return 0, false
}
