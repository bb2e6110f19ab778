package workspace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// retryFirst and retryMost bound the pause before a step is tried again.
const (
	retryFirst = time.Second
	retryMost  = 10 * time.Second
)

// setup runs the setup blocks, one after the other.
type setup struct {
	sandbox sandbox.Sandbox
	env     map[string]string
	out     *outputs
	tell    func(Phase)
	began   time.Time
	steps   int    // in all blocks
	shells  int    // started so far
	name    string // what their ids have in common: nobody else's, also of an attempt before
}

// runSetup runs all of the workspace's commands.
func runSetup(ctx context.Context, sb sandbox.Sandbox, w What, tell func(Phase)) (err error) {
	s := &setup{
		sandbox: sb, env: maps.Clone(w.Env), out: newOutputs(w.Output, w.Clean), tell: tell, began: time.Now(),
		name: "setup-" + newWord()[8:16],
	}
	if s.env == nil {
		s.env = map[string]string{}
	}
	s.env["SANDLOT_WORKSPACE"] = sb.Info().Root
	for _, b := range w.Workspace.Setup {
		s.steps += len(b.Run)
	}
	if s.steps == 0 {
		return nil
	}
	commands := "1 command"
	if s.steps > 1 {
		commands = fmt.Sprintf("%d commands", s.steps)
	}
	done := Begin(tell, "setup", commands)
	defer func() { done("", err) }()
	ticking, stop := context.WithCancel(ctx)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.out.ticks(ticking)
	}()
	defer func() { stop(); <-stopped }()
	first := 1
	for _, b := range w.Workspace.Setup {
		if err := s.block(ctx, b, first); err != nil {
			return err
		}
		first += len(b.Run)
	}
	return nil
}

// block runs the commands of one block in one shell. A shell that a command has
// ended is followed by another, in the state that the last success left.
func (s *setup) block(ctx context.Context, b config.Setup, first int) (err error) {
	info := s.sandbox.Info()
	r := &runner{setup: s, block: b, once: !info.Capabilities.WritableStdin, state: &state{dir: info.Root}}
	defer func() { err = errors.Join(err, r.close(ctx, err)) }()
	for i, command := range b.Run {
		step := first + i
		s.progress(fmt.Sprintf("%d/%d %s", step, s.steps, firstLine(command)))
		if err := r.step(ctx, step, command); err != nil {
			return err
		}
	}
	return nil
}

func (s *setup) progress(detail string) {
	s.tell(Phase{Name: "setup", State: "progress", Took: time.Since(s.began), Detail: detail})
}

// next is the next shell, not started yet.
func (s *setup) next() *shell {
	s.shells++
	return newShell(s.sandbox, fmt.Sprintf("%s-%d", s.name, s.shells), s.out)
}
