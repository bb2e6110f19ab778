package providertest

import (
	"context"
	"strconv"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func detachedCases() []testCase {
	return []testCase{
		{"a detached process outlives Close", detachedClose},
		{"a detached process outlives the end of Start's context", detachedCancel},
		{"a detached process outlives its plugin's end in good order", detachedEnd},
		{"a detached process outlives its plugin's crash", detachedCrash},
		{"a detached process with output nobody takes any more goes on", detachedOutput},
		{"what has become nobody's child is No when it has ended", detachedZombie},
		{"a detached process that is watched tells its exit", detachedExit},
	}
}

// outlives checks that a process started as detached lives on, is alive to
// every plugin process, and ends by the Kill of one that didn't start it.
func (b *bed) outlives(id, dir string) {
	b.Helper()
	b.beating(dir, "beat")
	for _, sb := range []sandbox.Sandbox{b.sb, b.resume(b.second())} {
		if alive, err := sb.Alive(b.ctx, id); alive != sandbox.AliveYes || err != nil {
			b.Errorf("alive: %v %v", alive, err)
		}
	}
	b.noError("kill", b.resume(b.second()).Kill(b.ctx, id, 0))
	b.still("after Kill", dir)
	for _, sb := range []sandbox.Sandbox{b.sb, b.resume(b.second())} {
		if alive, err := sb.Alive(b.ctx, id); alive != sandbox.AliveNo || err != nil {
			b.Errorf("alive after Kill: %v %v", alive, err)
		}
	}
}

// detached starts one that beats and prints.
func (b *bed) detached(ctx context.Context, sb sandbox.Sandbox) sandbox.Process {
	b.Helper()
	cmd := b.one("detached", "beats")
	cmd.Detached = true
	p := b.startIn(ctx, sb, cmd)
	b.beating("beats", "beat")
	return p
}

func detachedClose(b *bed) {
	p := b.detached(b.ctx, b.sb)
	b.soon("close", func() { b.noError("close", p.Close()) })
	b.outlives("detached", "beats")
}

func detachedCancel(b *bed) {
	ctx, cancel := context.WithCancel(b.ctx)
	defer cancel()
	b.detached(ctx, b.sb)
	cancel()
	b.outlives("detached", "beats")
}

func detachedEnd(b *bed) {
	p := b.open()
	b.detached(b.ctx, b.resume(p.Provider))
	b.soon("the plugin's end", func() { b.noError("close plugin process", p.Close()) })
	b.outlives("detached", "beats")
}

func detachedCrash(b *bed) {
	crash, sb := b.crashing()
	if crash == nil {
		return
	}
	p := b.detached(b.ctx, sb)
	crash()
	b.soon("a wait after the crash", func() {
		exit, err := p.Wait(b.ctx)
		if exit.Reason != sandbox.ReasonUnknown {
			b.Errorf("exit %+v of what still runs", exit)
		}
		b.mustBe("wait", err, sandbox.Unavailable)
	})
	b.outlives("detached", "beats")
}

func detachedOutput(b *bed) {
	cmd := b.one("detached", "beats")
	cmd.Detached, cmd.Stdout = true, &buffer{}
	p := b.start(b.sb, cmd)
	b.beating("beats", "beat")
	b.soon("close", func() { b.noError("close", p.Close()) })
	b.outlives("detached", "beats")
}

func detachedZombie(b *bed) {
	crash, sb := b.crashing()
	if crash == nil {
		return
	}
	p := b.detached(b.ctx, sb)
	crash()
	b.sh(`kill -KILL "$1"`, strconv.Itoa(p.PID()))
	b.eventually("it is dead to all", func() bool {
		alive, err := b.sb.Alive(b.ctx, "detached")
		return alive == sandbox.AliveNo && err == nil
	})
	b.noError("kill", b.sb.Kill(b.ctx, "detached", 0))
	b.still("after its end", "beats")
}

func detachedExit(b *bed) {
	p := b.start(b.sb, sandbox.Command{ID: "watched", Script: "exit 3", Detached: true})
	b.sameExit(b.wait(p), exited(3))
	b.noError("close", p.Close())
}
