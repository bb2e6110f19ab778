package remote

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// process is a started command at the other end of a stream.
type process struct {
	sb        *Sandbox
	cmd       sandbox.Command
	stream    startStream
	cancel    context.CancelFunc
	stopWatch func() bool
	sending   chan struct{} // one Send at a time
	pid       int
	silence   silence

	done chan struct{} // closed when exit and err are set
	exit sandbox.Exit
	err  error

	abandonOnce sync.Once
	abandoned   chan struct{} // closed when the kill of an unwanted process is over
	killErr     error
}

// stdinChunk is how much stdin travels in one frame as long as it comes in
// smaller pieces, as from a terminal.
const stdinChunk = 31 << 10

// closePatience is how long Close waits for the exit of what it has killed:
// the frame may be behind output that nobody takes.
const closePatience = time.Second

// PID implements sandbox.Process.
func (p *process) PID() int { return p.pid }

// Wait implements sandbox.Process.
func (p *process) Wait(ctx context.Context) (sandbox.Exit, error) {
	select {
	case <-p.done: // an exit that is known goes before a context that has ended
		return p.exit, p.err
	default:
	}
	select {
	case <-p.done:
		return p.exit, p.err
	case <-ctx.Done():
		return unknown(), p.sb.fail(ctx, "wait for "+p.cmd.ID, ctx.Err())
	}
}

// Close implements sandbox.Process.
func (p *process) Close() error {
	p.abandon()
	<-p.abandoned
	patience := time.NewTimer(closePatience)
	defer patience.Stop()
	select {
	case <-p.done:
	case <-patience.C:
	}
	return p.killErr
}

// abandon ends a process that nobody wants any more. A detached one lives on:
// only its stream ends.
func (p *process) abandon() {
	p.abandonOnce.Do(func() {
		defer close(p.abandoned)
		select {
		case <-p.done:
			return
		default:
		}
		if p.cmd.Detached {
			p.cancel()
			return
		}
		p.killErr = p.sb.killAbandoned(context.Background(), p.cmd.ID)
		// The exit frame follows the kill; a stream that stays silent is given up.
		patience := time.AfterFunc(closePatience, p.cancel)
		go func() {
			<-p.done
			patience.Stop()
		}()
	})
}

// receive writes the output out and latches the exit.
func (p *process) receive() {
	defer p.stopWatch() // nothing is left to kill
	defer close(p.done)
	defer p.cancel()
	stdout, stderr := sink{p.cmd.Stdout}, sink{p.cmd.Stderr}
	m := &pb.StartResponse{} // the same for all: its memory is used again
	for {
		p.silence.begins()
		err := p.stream.RecvMsg(m)
		p.silence.ends()
		if err != nil {
			p.exit, p.err = unknown(), p.lostBy(err)
			return
		}
		switch f := m.GetFrame().(type) {
		case *pb.StartResponse_Stdout:
			stdout.write(f.Stdout)
		case *pb.StartResponse_Stderr:
			stderr.write(f.Stderr)
		case *pb.StartResponse_Exit:
			p.exit = wire.FromExit(f.Exit)
			return
		}
	}
}

// lostBy is the error of a process whose stream ended without an exit. Whatever
// the reason, the exit is unknown: the end of a stream is not an exit 0.
func (p *process) lostBy(err error) error {
	doing := "follow " + p.cmd.ID
	if p.silence.gaveUp.Load() {
		return sandbox.Errorf(sandbox.Unavailable, "%s: the command has ended, and %s didn't say how within %s%s: it hangs",
			doing, p.sb.Name, p.sb.Timeouts.Silence, p.sb.at())
	}
	if errors.Is(err, io.EOF) {
		return p.sb.lost(doing)
	}
	e := p.sb.fail(context.Background(), doing, err)
	switch sandbox.ClassOf(e) {
	case sandbox.Canceled, sandbox.TimedOut:
		return sandbox.Errorf(sandbox.Unavailable, "%s: its stream was let go", doing)
	}
	return e
}

func unknown() sandbox.Exit { return sandbox.Exit{Code: -1, Reason: sandbox.ReasonUnknown} }

// sink writes to a caller's writer until that fails; then the rest is dropped.
type sink struct{ w io.Writer }

func (s *sink) write(p []byte) {
	if s.w == nil {
		return
	}
	if _, err := s.w.Write(p); err != nil {
		s.w = nil
	}
}
