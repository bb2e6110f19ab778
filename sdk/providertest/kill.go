package providertest

import (
	"slices"
	"strconv"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/proctree/leakcheck"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func killCases() []testCase {
	return []testCase{
		{"the leak check finds a tree that lives", findsLeak},
		{"Kill reaches setsid children, orphans and TERM-ignorers", killReaches},
		{"Kill sends TERM first and returns when it was enough", killGentle},
		{"Kill sends KILL when the grace is over", killFirm},
		{"Kill of what isn't there is no error", killNothing},
		{"Kill ends what a process left behind", killLeft},
		{"Kill ends one id only", killOne},
		{"a killed id may be used again", killedAgain},
		{"Alive tells of the process itself, not of what it left", aliveItself},
		{"Alive of an id that never was isn't yes", aliveNever},
		{"trees killed at random moments, half of them by another plugin process, leave nothing", leaks},
	}
}

// findsLeak is the proof that the other cases can fail.
func findsLeak(b *bed) {
	b.start(b.sb, b.tree("leak", "beats"))
	b.beating("beats")
	want := leakcheck.Names()
	slices.Sort(want)
	b.eventually("it finds them all", func() bool { return slices.Equal(b.living("beats"), want) })
}

func killReaches(b *bed) {
	for i, sb := range []sandbox.Sandbox{b.sb, b.resume(b.second())} {
		dir := "beats" + strconv.Itoa(i)
		cmd := b.tree(dir, dir)
		cmd.Detached = true // so that nothing but Kill ends it
		p := b.start(b.sb, cmd)
		b.beating(dir)
		b.noError("kill", sb.Kill(b.ctx, dir, 0))
		b.still("after Kill", dir)
		if exit := b.wait(p); exit.Reason != sandbox.ReasonSignaled {
			b.Errorf("exit %+v", exit)
		}
		if alive, err := b.sb.Alive(b.ctx, dir); alive != sandbox.AliveNo || err != nil {
			b.Errorf("alive: %v %v", alive, err)
		}
	}
}

func killGentle(b *bed) {
	p := b.start(b.sb, sandbox.Command{
		ID: "gentle", Script: `trap ': >told; exit 9' TERM; : >ready; while :; do sleep 0.02; done`,
	})
	b.eventuallyFile("ready")
	begin := time.Now()
	b.noError("kill", b.sb.Kill(b.ctx, "gentle", time.Minute))
	if took := time.Since(begin); took > b.suite.opts.Patience {
		b.Errorf("it took %v", took)
	}
	b.sh("test -e told")
	if exit := b.wait(p); exit.Code != 9 && exit.Signal == 0 {
		b.Errorf("exit %+v", exit)
	}
}

func killFirm(b *bed) {
	p := b.start(b.sb, sandbox.Command{
		ID: "firm", Script: `trap ': >told' TERM; : >ready; while :; do sleep 0.02; done`,
	})
	b.eventuallyFile("ready")
	begin := time.Now()
	b.noError("kill", b.sb.Kill(b.ctx, "firm", 500*time.Millisecond))
	if took := time.Since(begin); took < 500*time.Millisecond {
		b.Errorf("it took %v, less than the grace", took)
	}
	b.sh("test -e told")
	b.sameExit(b.wait(p), bySignal(9))
}

func killNothing(b *bed) {
	b.noError("kill what never was", b.sb.Kill(b.ctx, "never-was", 0))
	b.noError("kill it gently", b.sb.Kill(b.ctx, "never-was", time.Minute))
	b.run(sandbox.Command{ID: "ended", Script: "true"})
	b.noError("kill what has ended", b.sb.Kill(b.ctx, "ended", time.Minute))
	b.noError("kill it again", b.resume(b.second()).Kill(b.ctx, "ended", 0))
}

func killLeft(b *bed) {
	b.sh("mkdir beats")
	p := b.start(b.sb, sandbox.Command{ID: "parent", Detached: true, Argv: shell(
		`setsid sh -c 'while :; do printf . >>beats/beat; sleep 0.01; done' & exit 3`)})
	b.sameExit(b.wait(p), exited(3))
	b.beating("beats", "beat")
	b.noError("kill", b.resume(b.second()).Kill(b.ctx, "parent", 0))
	b.still("after Kill", "beats")
}

func killOne(b *bed) {
	b.start(b.sb, b.one("one", "one"))
	b.start(b.sb, b.one("one.more", "two"))
	b.beating("one", "beat")
	b.beating("two", "beat")
	b.noError("kill", b.sb.Kill(b.ctx, "one", 0))
	b.still("after Kill", "one")
	b.beating("two", "beat")
}

func killedAgain(b *bed) {
	for range 3 {
		p := b.start(b.sb, sandbox.Command{ID: "again", Argv: []string{"sleep", "1000"}})
		b.noError("kill", b.sb.Kill(b.ctx, "again", 0))
		b.sameExit(b.wait(p), bySignal(9))
	}
}

func aliveItself(b *bed) {
	b.sh("mkdir beats")
	in := newGate(b)
	p := b.start(b.sb, sandbox.Command{ID: "parent", Detached: true, Stdin: in.reader, Argv: shell(
		`setsid sh -c 'while :; do printf . >>beats/beat; sleep 0.01; done' & read -r line; exit 3`)})
	b.beating("beats", "beat")
	both := []sandbox.Sandbox{b.sb, b.resume(b.second())}
	for _, sb := range both {
		if alive, err := sb.Alive(b.ctx, "parent"); alive != sandbox.AliveYes || err != nil {
			b.Errorf("while it runs: %v %v", alive, err)
		}
	}
	b.noError("close stdin", in.writer.Close())
	b.sameExit(b.wait(p), exited(3))
	for _, sb := range both {
		if alive, err := sb.Alive(b.ctx, "parent"); alive != sandbox.AliveNo || err != nil {
			b.Errorf("after its end: %v %v", alive, err)
		}
	}
	b.beating("beats", "beat")
	b.noError("kill", b.sb.Kill(b.ctx, "parent", 0))
}

func aliveNever(b *bed) {
	for _, sb := range []sandbox.Sandbox{b.sb, b.resume(b.second())} {
		if alive, err := sb.Alive(b.ctx, "never-was"); err != nil || alive != sandbox.AliveNo && alive != sandbox.AliveUnknown {
			b.Errorf("alive: %q %v", alive, err)
		}
	}
}
