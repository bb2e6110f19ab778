package processes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/proctree"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// process is one running command. While it isn't detached, the end of its
// context, Close, the timeout and the output limit each kill its tree, and so
// does its own end.
type process struct {
	place Place
	cmd   sandbox.Command
	tree  *proctree.Tree // nil: it couldn't be executed

	theirs []*os.File // ends that the process holds; closed here once it has started
	stdin  *os.File   // our end; nil: /dev/null
	screen *os.File   // our end of its terminal; nil: it has none
	pumps  []*pump
	limit  *limit

	waiting context.Context         // ends when it is no use to wait for its end
	stop    context.CancelCauseFunc // ends that

	reason atomic.Value // sandbox.ExitReason of who killed it first
	killed atomic.Bool  // by us
	onEnd  []func()
	closed sync.Once

	done chan struct{} // closed when exit is valid
	exit sandbox.Exit
}

// PID is that of the leader of the tree.
func (p *process) PID() int {
	if p.tree == nil {
		return -1
	}
	return p.tree.PID()
}

// Signal reaches the process itself.
func (p *process) Signal(_ context.Context, n int) error {
	if p.tree == nil {
		return nil
	}
	if err := p.tree.Signal(syscall.Signal(n)); err != nil {
		return Classify("signal process "+p.cmd.ID, err)
	}
	return nil
}

// Wait returns when the process has ended and its output is written.
func (p *process) Wait(ctx context.Context) (sandbox.Exit, error) {
	select {
	case <-p.done:
		return p.exit, nil
	default:
	}
	select {
	case <-p.done:
		return p.exit, nil
	case <-ctx.Done():
		return sandbox.Exit{Code: -1, Reason: sandbox.ReasonUnknown}, ctx.Err()
	}
}

// Close kills what isn't detached, and discards the output of what is.
func (p *process) Close() (err error) {
	p.closed.Do(func() {
		select {
		case <-p.done:
		default:
			for _, pm := range p.pumps {
				pm.discard.Store(true)
			}
			if !p.cmd.Detached {
				err = p.kill("", killGrace)
			}
		}
	})
	return err
}

// run moves output and waits for the end, until ctx, the clock or the process
// ends.
func (p *process) run(ctx context.Context) {
	p.limit.over = func() {
		p.reason.CompareAndSwap(nil, sandbox.ReasonOutputLimit)
		go func() { _ = p.kill("", killGrace) }()
	}
	p.feed()
	for _, pm := range p.pumps {
		go pm.run()
	}
	if !p.cmd.Detached {
		stop := context.AfterFunc(ctx, func() { _ = p.kill("", killGrace) })
		p.onEnd = append(p.onEnd, func() { stop() })
	}
	if p.cmd.Timeout > 0 {
		timer := time.AfterFunc(p.cmd.Timeout, func() { _ = p.kill(sandbox.ReasonTimedOut, killGrace) })
		p.onEnd = append(p.onEnd, func() { timer.Stop() })
	}
	go p.finish()
}

// kill ends the tree; the first reason counts, and none after its own end. Where
// something of it can't be ended, nobody waits for it any longer.
func (p *process) kill(reason sandbox.ExitReason, grace time.Duration) error {
	select {
	case <-p.tree.Done():
	default:
		p.killed.Store(true)
		if reason != "" {
			p.reason.CompareAndSwap(nil, reason)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := p.tree.Kill(ctx, grace); err != nil {
		err = KillError(p.place.log(), "kill process "+p.cmd.ID, err)
		p.stop(err)
		return err
	}
	return nil
}

// finish reports the exit once the output is complete, or as complete as what
// the process left behind lets it be.
func (p *process) finish() {
	defer close(p.done)
	exit, err := p.tree.Wait(p.waiting)
	want := p.wantOfMemory(exit)
	p.place.Memory.end()
	p.awaitPumps()
	left := ""
	if err == nil {
		left = p.endLeftovers()
	}
	for _, pm := range p.pumps {
		pm.finish()
	}
	for _, pm := range p.pumps {
		<-pm.done
	}
	for _, f := range p.onEnd {
		f()
	}
	p.exit = sandbox.Exit{Code: exit.Code, Signal: exit.Signal, OOM: exit.OOM, Reason: sandbox.ReasonExited, Left: left}
	switch {
	case err != nil && p.waiting.Err() != nil: // it lives on
		p.exit = sandbox.Exit{Code: -1, Reason: sandbox.ReasonUnknown, Message: context.Cause(p.waiting).Error()}
	case err != nil:
		p.exit = sandbox.Exit{Code: -1, Reason: sandbox.ReasonUnknown, Message: err.Error()}
	case exit.Signal != 0:
		p.exit.Reason = sandbox.ReasonSignaled
	}
	if r, ok := p.reason.Load().(sandbox.ExitReason); ok {
		p.exit.Reason = r
	}
	if want != "" {
		p.exit.OOM, p.exit.Message = true, want
	}
}

// wantOfMemory says that the process was killed for want of memory; empty: it
// wasn't. A shell that waits for what was killed ends with 128 and the signal.
func (p *process) wantOfMemory(exit proctree.Exit) string {
	const kill = 9
	if p.killed.Load() || exit.Signal != kill && exit.Code != 128+kill {
		return ""
	}
	return p.place.Memory.explains()
}

// awaitPumps waits a while for the output to end.
func (p *process) awaitPumps() {
	timer := time.NewTimer(p.drain())
	defer timer.Stop()
	for _, pm := range p.pumps {
		select {
		case <-pm.done:
		case <-timer.C:
			return
		}
	}
}

// endLeftovers ends what the process has left running, unless it is detached,
// and says what that was. Of a tree that was killed for its timeout or output
// nothing was left: who of it dies last is chance.
func (p *process) endLeftovers() string {
	if p.cmd.Detached || !p.tree.Leftovers() {
		return ""
	}
	members, listErr := p.place.Forest.Members(context.Background(), p.cmd.ID)
	err := context.Cause(p.waiting) // tried already
	if err == nil {
		err = p.kill("", 0)
	}
	if p.reason.Load() != nil {
		return ""
	}
	alive := map[int]bool{}
	if left, ok := errors.AsType[*proctree.SurvivorsError](err); ok {
		for _, m := range left.Members {
			alive[m.PID] = true
		}
	}
	var all []string
	for _, m := range members {
		if !alive[m.PID] {
			all = append(all, fmt.Sprintf("%d %s", m.PID, m.Command))
		}
	}
	if listErr != nil {
		all = append(all, "processes that couldn't be listed")
	}
	if err != nil {
		all = append(all, err.Error())
	}
	return strings.Join(all, "; ")
}

// drain is how long output is waited for after the process has ended: what it
// left in the background may hold its pipes for ever. The files of a detached
// one are read to their end, there is nothing to wait for.
func (p *process) drain() time.Duration {
	if p.cmd.Detached {
		return 0
	}
	return 200 * time.Millisecond
}
