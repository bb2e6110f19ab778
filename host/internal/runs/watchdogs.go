package runs

import (
	"context"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// quiet is what was seen when a clock last rang: an agent whose output we don't
// take, or which is in the middle of a long line, isn't silent.
type quiet struct {
	read int64 // bytes of the output that were read by then
	owed bool  // the harness owed an answer then, and has given none since
}

// alive notes a sign of life of the agent.
func (p *pump) alive() {
	p.quiet.owed = false
	p.clocks.output(p.patience())
}

// patience is how long the agent may be silent as things stand; 0: as long as it
// likes. A tool may compile for long without a word, and a person may be slow.
func (p *pump) patience() time.Duration {
	switch bounds := p.clocks.bounds; {
	case len(p.asks) > 0 || p.ending || p.exit != nil:
		return 0
	case len(p.doings.working()) > 0:
		return max(bounds.Tool, bounds.Idle)
	default:
		return bounds.Idle
	}
}

// given notes that the agent gave its result.
func (p *pump) given() {
	p.ending = true
	if p.exit == nil {
		p.clocks.result()
	}
}

// clockRang ends an agent that took too long.
func (p *pump) clockRang(ctx context.Context, name string) {
	bounds := p.clocks.bounds
	switch name {
	case clockCancel:
		p.kill(ctx, killGrace)
	case clockStartup:
		if !p.oursToAnswer(ctx, clockStartup) {
			p.force(ctx, harness.ReasonStartupTimeout, fmt.Sprintf("no first event within %s", bounds.Startup), "startup")
		}
	case clockIdle:
		p.silent(ctx)
	case clockRun:
		p.tooLong(ctx)
	case clockAfterResult:
		p.forceExit(ctx, fmt.Sprintf("the agent gave its result and didn't exit within %s", bounds.AfterResult))
	case clockSilence:
		if p.stillReading() {
			p.clocks.set(clockSilence, silence)
			return
		}
		p.hung = true
		if p.result == nil {
			p.result = &harness.Result{
				Reason:  harness.ReasonHarnessSilent,
				Message: fmt.Sprintf("the harness said nothing for %s after the agent had ended", silence),
			}
		}
	}
}

// silent ends an agent that gave no sign of life. What it prints without ending
// the line is one.
func (p *pump) silent(ctx context.Context) {
	patience := p.patience()
	before := p.quiet.read
	p.quiet.read = p.read()
	switch {
	case patience == 0, p.oursToAnswer(ctx, clockIdle):
	case p.quiet.read > max(before, p.log.offset):
		p.clocks.set(clockIdle, patience)
	case len(p.doings.working()) > 0:
		p.force(ctx, harness.ReasonIdleTimeout, fmt.Sprintf("no output for %s while a tool worked (%s)", patience, p.doings.working()), "tool")
	default:
		p.force(ctx, harness.ReasonIdleTimeout, fmt.Sprintf("no output for %s", patience), "idle")
	}
}

// oursToAnswer reports whether the silence that a clock rang for isn't the
// agent's: the harness owes an answer to lines that it was given. It gets some
// time for that, since the clock may have rung while we waited for the store.
func (p *pump) oursToAnswer(ctx context.Context, clock string) bool {
	switch {
	case p.owed.Load() == 0:
		return false
	case !p.quiet.owed:
		p.quiet.owed = true
		p.clocks.set(clock, silence)
	default:
		p.force(ctx, harness.ReasonHarnessSilent, fmt.Sprintf("the harness owes an answer to what the agent printed, for more than %s", silence), "")
	}
	return true
}

// tooLong ends a run that took its whole time. One that has only to exit has its
// result.
func (p *pump) tooLong(ctx context.Context) {
	what := fmt.Sprintf("the run took longer than %s", p.clocks.bounds.Run)
	if p.ending {
		p.forceExit(ctx, "the agent gave its result and didn't exit; "+what)
		return
	}
	p.force(ctx, harness.ReasonRunTimeout, what, "run")
}

// forceExit ends an agent that gave its result: the run's end stays that.
func (p *pump) forceExit(ctx context.Context, what string) {
	if p.killing != nil || p.killed || p.exit != nil {
		return
	}
	p.log.host(ctx, warning("forced_exit", p.told(ctx, what+"; it was ended")))
	p.kill(ctx, exitGrace)
}

// force ends the agent for a reason that the run then ends with. bound is the
// attribute of timeouts that a longer time needs; empty: none.
func (p *pump) force(ctx context.Context, reason harness.Reason, what, bound string) {
	if p.forced != nil || p.stopped || p.exit != nil {
		return
	}
	message := p.told(ctx, what) + "\nsee all that it printed with `sandlot logs " + p.run.ID + "` and `sandlot logs --stderr " + p.run.ID + "`"
	if bound != "" {
		message += "; if it only needs longer, raise timeouts." + bound + " in the sandbox block"
	}
	p.forced = &endError{reason, message}
	p.kill(ctx, exitGrace)
}
