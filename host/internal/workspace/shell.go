package workspace

import (
	"context"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

const (
	stopGrace   = 5 * time.Second        // from TERM to KILL of a step that took too long
	cancelGrace = 500 * time.Millisecond // and of one that isn't wanted any more
	killTimeout = 30 * time.Second       // until a tree that won't die is given up
	endTimeout  = 5 * time.Second        // for a shell to end whose input has
)

// shell is a shell that runs in the sandbox and is fed one step at a time.
type shell struct {
	sandbox  sandbox.Sandbox
	id       string
	proc     sandbox.Process
	in       *input
	out, err *listener
	ended    chan struct{} // closed once it has
	exit     sandbox.Exit  // then: how
	lost     error         // then: why that isn't known
}

// newShell makes one that isn't started yet: what it is to read may be fed before.
func newShell(sb sandbox.Sandbox, id string, out *outputs) *shell {
	s := &shell{
		sandbox: sb, id: id, in: newInput(), ended: make(chan struct{}),
		out: &listener{out: func(p []byte) { out.write(0, p) }, long: true},
		err: &listener{out: func(p []byte) { out.write(1, p) }},
	}
	s.in.feed(preamble)
	return s
}

// start starts it in the sandbox's root.
func (s *shell) start(ctx context.Context, env map[string]string) error {
	proc, err := s.sandbox.Start(ctx, sandbox.Command{
		ID: s.id, Argv: []string{"/bin/sh"}, Env: env, Stdin: s.in, Stdout: s.out, Stderr: s.err,
	})
	if err != nil {
		s.in.close()
		return fmt.Errorf("start a shell: %w", err)
	}
	s.proc = proc
	go func() {
		defer close(s.ended)
		s.exit, s.lost = proc.Wait(context.WithoutCancel(ctx))
		s.out.drain()
		s.err.drain()
		s.in.close()
	}()
	return nil
}

// kill ends the shell with all that its steps have started.
func (s *shell) kill(ctx context.Context, grace time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killTimeout)
	defer cancel()
	if err := s.sandbox.Kill(ctx, s.id, grace); err != nil {
		return fmt.Errorf("kill the step: %w", err)
	}
	select {
	case <-s.ended:
	case <-ctx.Done():
	}
	return s.proc.Close()
}

// end lets the shell go, and tells what its steps had left running.
func (s *shell) end(ctx context.Context) (left string, err error) {
	s.in.close()
	wait, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	select {
	case <-s.ended:
		return s.exit.Left, s.proc.Close()
	case <-wait.Done():
		return "", s.kill(ctx, cancelGrace)
	}
}
