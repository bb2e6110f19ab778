package providertest

import (
	"sync/atomic"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func snapshotDisrupts(b *bed) { b.disrupts(6, func() { b.snapshot(b.sb, "") }) }

func forkDisrupts(b *bed) {
	source, err := sandbox.As[sandbox.Forker](b.sb)
	b.noError("ask for forks", err)
	b.disrupts(2, func() { b.made(source.Fork(b.ctx, b.requestFor(newKey()))) })
}

// enough is how often the control must have ticked during the copies to tell a
// process that was paused from one that had no turn.
const enough = 40

// disrupts copies the sandbox while a process ticks in it, some times at most,
// and compares with one that ticks in another sandbox and is the measure of what
// a living process does on this machine just now. A copy that takes less than a
// few ticks disturbs nobody.
func (b *bed) disrupts(times int, copied func()) {
	b.Helper()
	kind := b.sb.Info().Capabilities.Disruption
	source, other := b.ticks(b.sb), b.ticks(b.create(b.requestFor(newKey())))
	here, there := int64(0), int64(0)
	for range times {
		h, t := source.n.Load(), other.n.Load()
		copied()
		here, there = here+source.n.Load()-h, there+other.n.Load()-t
		if kind != sandbox.DisruptionNone || there >= enough {
			break
		}
	}
	if kind == sandbox.DisruptionStop {
		// More it can't do to them; the sandbox goes on.
		b.sh("true")
		return
	}
	if kind == sandbox.DisruptionNone && there >= enough && here < there/4 {
		b.Errorf("disruption is %q: meanwhile the process ticked %d times, one in another sandbox %d times", kind, here, there)
	}
	now := source.n.Load()
	if !b.within(b.suite.opts.Patience, func() bool { return source.n.Load() > now+3 }) {
		b.Errorf("disruption is %q, and the process doesn't go on", kind)
	}
	b.goesOn(other)
}

func (b *bed) goesOn(t *ticker) {
	b.Helper()
	now := t.n.Load()
	b.eventually("the process in another sandbox goes on", func() bool { return t.n.Load() > now+3 })
}

// ticker is a process that prints all the time.
type ticker struct {
	sandbox.Process

	n *atomic.Int64 // bytes that came of it
}

// ticks starts one and waits until it ticks.
func (b *bed) ticks(sb sandbox.Sandbox) *ticker {
	b.Helper()
	t := &ticker{n: new(atomic.Int64)}
	t.Process = b.start(sb, sandbox.Command{
		ID: b.id("tick"), Script: `while printf .; do sleep 0.01; done`, Stdout: writerFunc(func(p []byte) { t.n.Add(int64(len(p))) }),
	})
	b.goesOn(t)
	return t
}
