package providertest

import (
	"context"
	"io"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func letGoCases() []testCase {
	return []testCase{
		{"Close kills the tree", closeKills},
		{"Close kills what a process left behind", closeKillsLeft},
		{"the end of Start's context kills the tree, and Wait returns", cancelKills},
		{"a context that ends during Start leaves nothing", cancelDuringStart},
		{"Exec's context kills the tree before Exec returns", cancelExec},
		{"a plugin process that ends in good order ends its processes", pluginEnds},
		{"a plugin process that crashes leaves a tree that another can kill", pluginCrashes},
		{"a plugin process that crashes leaves exits unknown", crashUnknown},
	}
}

func closeKills(b *bed) {
	p := b.start(b.sb, b.tree("closed", "beats"))
	b.beating("beats")
	b.soon("close", func() { b.noError("close", p.Close()) })
	b.still("after Close", "beats")
	b.soon("a wait after Close", func() {
		if exit, err := p.Wait(b.ctx); err == nil && exit.Ok() {
			b.Errorf("exit %+v of what was killed", exit)
		}
	})
	b.soon("close again", func() { b.noError("close again", p.Close()) })
}

func closeKillsLeft(b *bed) {
	cmd := b.tree("parent", "beats")
	cmd.Argv = shell(`setsid sh -c 'while :; do printf . >>beats/beat; sleep 0.01; done' & while [ ! -s beats/beat ]; do sleep 0.01; done; exit 3`)
	p := b.start(b.sb, cmd)
	b.sameExit(b.wait(p), exited(3))
	b.noError("close", p.Close())
	b.eventuallyStill("after exit and Close", "beats")
}

func cancelKills(b *bed) {
	ctx, cancel := context.WithCancel(b.ctx)
	defer cancel()
	p := b.startIn(ctx, b.sb, b.tree("canceled", "beats"))
	b.beating("beats")
	cancel()
	b.soon("a wait after the context's end", func() {
		if exit, err := p.Wait(b.ctx); err == nil && exit.Ok() {
			b.Errorf("exit %+v of what was killed", exit)
		}
	})
	b.eventuallyStill("after the context's end", "beats")
	b.noError("close", p.Close())
}

func cancelDuringStart(b *bed) {
	b.sh("mkdir beats")
	for i := range 20 {
		ctx, cancel := context.WithCancel(b.ctx)
		timer := time.AfterFunc(time.Duration(i)*500*time.Microsecond, cancel)
		cmd := b.one(b.id("canceled"), "beats")
		b.soon("a start whose context ends", func() {
			p, err := b.sb.Start(ctx, cmd)
			if err != nil {
				b.mustBe("start", err, sandbox.Canceled)
				return
			}
			cancel()
			_, _ = p.Wait(b.ctx)
			b.noError("close", p.Close())
		})
		timer.Stop()
		cancel()
	}
	b.eventuallyStill("after 20 canceled starts", "beats")
}

func cancelExec(b *bed) {
	ctx, cancel := context.WithCancel(b.ctx)
	defer cancel()
	cmd := b.tree("canceled", "beats")
	done := make(chan error, 1)
	go func() {
		_, err := sandbox.Exec(ctx, b.sb, cmd)
		done <- err
	}()
	b.beating("beats")
	cancel()
	b.soon("exec", func() { b.mustBe("exec", <-done, sandbox.Canceled) })
	b.still("after Exec", "beats")
}

func pluginEnds(b *bed) {
	other := b.open()
	if other.Kill == nil {
		b.Logf("this plugin is no process of its own: it can't end")
		return
	}
	sb := b.resume(other.Provider)
	in := newGate(b)
	cmd := b.tree("orphaned", "beats")
	cmd.Stdin, cmd.Stdout = in.reader, io.Discard
	b.start(sb, cmd)
	b.beating("beats")
	b.soon("the plugin's end", func() { b.noError("close plugin process", other.Close()) })
	b.eventuallyStill("after the plugin's end", "beats")
}

func pluginCrashes(b *bed) {
	crash, sb := b.crashing()
	if crash == nil {
		return
	}
	b.start(sb, b.tree("orphaned", "beats"))
	b.beating("beats")
	crash()
	b.noError("kill", b.sb.Kill(b.ctx, "orphaned", 0))
	b.still("after another plugin process's Kill", "beats")
	if alive, err := b.sb.Alive(b.ctx, "orphaned"); alive != sandbox.AliveNo || err != nil {
		b.Errorf("alive: %v %v", alive, err)
	}
}

// crashing resumes the sandbox in a plugin process of its own, and returns
// what kills that; nil where a plugin can't crash.
func (b *bed) crashing() (crash func(), sb sandbox.Sandbox) {
	b.Helper()
	p := b.open()
	if p.Kill == nil {
		b.Logf("Plugin.Kill isn't set: this plugin can't crash")
		return nil, nil
	}
	return func() {
		b.Helper()
		b.soon("the crash", func() { b.noError("kill plugin process", p.Kill()) })
	}, b.resume(p.Provider)
}

func crashUnknown(b *bed) {
	crash, sb := b.crashing()
	if crash == nil {
		return
	}
	p := b.start(sb, sandbox.Command{ID: "lost", Script: "sleep 1000"})
	crash()
	b.soon("a wait after the crash", func() {
		exit, err := p.Wait(b.ctx)
		if exit.Reason != sandbox.ReasonUnknown || exit.Code != -1 {
			b.Errorf("exit %+v of what nobody saw", exit)
		}
		b.mustBe("wait", err, sandbox.Unavailable)
	})
	_, err := sb.Start(b.ctx, sandbox.Command{ID: "next", Script: "true"})
	b.mustBe("start in a crashed plugin", err, sandbox.Unavailable)
	b.noError("kill", b.sb.Kill(b.ctx, "lost", 0))
}
