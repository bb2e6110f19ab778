package runs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/journal"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// beginCancel asks the agent to stop in its own way, and soon makes it.
func (p *pump) beginCancel() {
	p.stopped = true
	p.tell(&harness.Cancel{})
	p.clocks.set(clockCancel, cancelGrace)
}

// stillReading reports whether the silence is ours: a line that never ends is
// read to its end before the harness is told of it, and may take longer than a
// harness has for an answer.
func (p *pump) stillReading() bool {
	before := p.heard
	p.heard = p.read()
	return !p.stopped && !p.drained && p.owed.Load() == 0 && p.heard != before
}

// kill ends the tree, once; the loop hears how it went.
func (p *pump) kill(ctx context.Context, grace time.Duration) {
	if p.killing != nil || p.killed {
		return
	}
	done := make(chan error, 1)
	p.killing = done
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killTimeout)
		defer cancel()
		err := p.mine(ctx)
		if err == nil {
			err = p.sandbox.Kill(ctx, p.proc, grace)
		}
		done <- err
	}()
}

// endFed ends an agent that nobody can feed any more, before its stdin ends: to
// that it would go on with whatever it waits for an answer about. Where it can't be
// ended, who looks next does so.
func (p *pump) endFed(ctx context.Context) {
	if p.stdin == nil || p.exit != nil || p.mine(ctx) != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, killTimeout)
	defer cancel()
	_ = p.sandbox.Kill(ctx, p.proc, 0)
}

// undead is the error of a tree that couldn't be killed, with the reason for
// which it was to be.
func (p *pump) undead(err error) error {
	err = fmt.Errorf("kill the agent: %w", err)
	if p.forced != nil {
		return errors.Join(p.forced, err)
	}
	return err
}

// agentEnded tells the harness how the agent ended.
func (p *pump) agentEnded(ctx context.Context, e ended) error {
	exit, err := p.exitMessage(ctx, e)
	if err != nil {
		return err
	}
	p.exit, p.oom, p.oomLimit = exit, e.exit.OOM, e.exit.Message
	if e.exit.Left != "" && !p.stopped && p.forced == nil {
		p.log.host(ctx, leftRunning(e.exit.Left))
	}
	p.input.close()
	for _, name := range []string{clockStartup, clockIdle, clockAfterResult, clockCancel} {
		p.clocks.clear(name)
	}
	wait := silence
	if p.stopped { // nobody needs what is still on its way
		wait = cancelGrace
	}
	p.clocks.set(clockSilence, wait)
	p.maybeTellExit()
	return nil
}

// maybeTellExit sends Exit once the agent has ended and every line before it is
// acknowledged.
func (p *pump) maybeTellExit() {
	if p.exit != nil && p.drained && p.result == nil {
		p.tell(p.exit)
	}
}

// exitMessage puts together what is known: the wrapper's exit file, what the
// provider saw, and the end of stderr.
func (p *pump) exitMessage(ctx context.Context, e ended) (*harness.Exit, error) {
	code, ok, err := p.journal.ExitCode(ctx)
	if err != nil {
		return nil, err
	}
	x := &harness.Exit{Code: -1, Stderr: []byte(p.stderr(ctx))}
	// What the provider saw counts more than a file, which anything that the agent
	// left running can write.
	seen := e.known && e.exit.Reason == sandbox.ReasonExited
	switch {
	case e.known && e.exit.Signal != 0:
		x.Signal, x.Known = e.exit.Signal, true
		x.Message = fmt.Sprintf("killed by signal %d", e.exit.Signal)
		return x, nil
	case seen:
		code = e.exit.Code
	case !ok:
		x.Message = "the process is gone, and nobody saw how it ended"
		return x, nil
	}
	x.Code, x.Known, x.Message = code, true, fmt.Sprintf("exit code %d", code)
	if code > 128 {
		x.Message += fmt.Sprintf(", probably signal %d", code-128)
	}
	if seen && !ok {
		words := p.wrapperErr.String()
		if words != "" {
			x.Message += ": " + words
		}
		if code != journal.CannotWrite {
			p.log.host(ctx, warning("journal_incomplete", "the journal couldn't be written when the agent ended "+
				"(is the sandbox's disk full?), so what it printed before may not be whole"))
		}
	}
	return x, nil
}

func (p *pump) stderr(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	data, err := p.journal.StderrTail(ctx, stderrTail)
	if err != nil {
		p.Log.Warn("read the agent's stderr", "error", err)
	}
	if len(data) == stderrTail { // it may begin inside of a secret, which nobody would find later
		data = p.log.scrub.redactor.Piece(data)
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(data), "\uFFFD"))
}

// finish ends what the agent left running and puts the outcome together.
func (p *pump) finish(ctx context.Context) (store.Outcome, error) {
	if p.log.replay.left > 0 && p.forced == nil && !p.stopped {
		return store.Outcome{}, errDiverged // the output holds less than it did
	}
	if !p.killed {
		if err := p.sweep(ctx); err != nil {
			return store.Outcome{}, err
		}
	}
	p.closed = p.result != nil && !p.hung
	if p.unknown() {
		whyNot, err := p.beginAnew(ctx)
		if err != nil {
			return store.Outcome{}, err
		}
		p.result.Session, p.result.Message = "", whyNot+": "+p.result.Message
	}
	o, err := p.outcome()
	if err != nil {
		return o, err
	}
	if p.exit != nil && p.exit.Known && p.exit.Code >= 0 {
		o.Exit = &p.exit.Code
	}
	if r := p.result; r != nil && r.Session != "" {
		err := p.log.retry(ctx, func() error {
			return p.Store.SetThreadSession(ctx, p.run.Thread, r.Session, p.sandbox.Info().Root)
		})
		if err != nil {
			return o, fmt.Errorf("note session of the thread: %w", err)
		}
	}
	return o, nil
}

func (p *pump) outcome() (store.Outcome, error) {
	switch {
	case p.stopped:
		return p.used(canceledOutcome())
	case p.forced != nil:
		return p.used(outcomeOf(p.forced, false))
	case p.oom:
		text := "the agent was killed because it used too much memory"
		if p.oomLimit != "" {
			text += ": " + p.oomLimit
		}
		return p.used(outcomeOf(&endError{harness.ReasonOOM, text}, false))
	}
	return outcomeOfResult(*p.result)
}

// used adds what the harness knows that the agent has used to an outcome of ours.
func (p *pump) used(o store.Outcome) (store.Outcome, error) {
	r := p.result
	if r == nil || r.Usage == (harness.Usage{}) && r.CostUSD == 0 {
		return o, nil
	}
	err := bill(&o, *r)
	return o, err
}
