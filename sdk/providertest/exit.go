package providertest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func exitCases() []testCase {
	cases := []testCase{
		{"a program ended by a KILL from outside is signaled", killedFromOutside},
		{"Signal reaches the process and says so at the end", signaled},
		{"a signal that is handled ends nothing", signalHandled},
		{"Signal reaches the process itself, not its children", signalItself},
		{"a process that Kill ended is signaled", killedIsSignaled},
		{"what isn't executable is 126, without a pid", notExecutable},
		{"what isn't there is 127, without a pid", notFound},
		{"a script's own 126 and 127 come with a pid", ownCodes},
		{"Wait is latched and may be called by many", waitLatched},
		{"Wait ends with its context and the process goes on", waitEnds},
		{"Exec tells the same as Start", execSame},
		{"Exec keeps the first 8 MiB and says that there was more", execTruncates},
		{"Start returns while the process runs, with its pid", startReturns},
	}
	for _, e := range []struct {
		script string
		want   sandbox.Exit
	}{
		{"exit 0", exited(0)},
		{"exit 1", exited(1)},
		{"exit 3", exited(3)},
		{"exit 137", exited(137)},
		{"exit 255", exited(255)},
		{"kill -TERM $$", bySignal(15)},
		{"kill -KILL $$", bySignal(9)},
	} {
		cases = append(cases, testCase{fmt.Sprintf("%s is code %d, signal %d", e.script, e.want.Code, e.want.Signal), func(b *bed) {
			b.sameExit(b.run(sandbox.Command{Script: e.script}).exit, e.want)
			out, err := sandbox.Exec(b.ctx, b.sb, sandbox.Command{ID: "exec", Script: e.script})
			b.noError("exec", err)
			b.sameExit(out.Exit, e.want)
		}})
	}
	return cases
}

func exited(code int) sandbox.Exit { return sandbox.Exit{Code: code, Reason: sandbox.ReasonExited} }

func bySignal(n int) sandbox.Exit {
	return sandbox.Exit{Code: -1, Signal: n, Reason: sandbox.ReasonSignaled}
}

// sameExit compares all but what is for a person to read.
func (b *bed) sameExit(got, want sandbox.Exit) {
	b.Helper()
	got.Message, got.Left = want.Message, want.Left
	if got != want {
		b.Errorf("exit %+v, want %+v", got, want)
	}
}

func killedFromOutside(b *bed) {
	p := b.start(b.sb, sandbox.Command{ID: "victim", Script: "sleep 1000"})
	b.sh(`kill -KILL "$1"`, strconv.Itoa(p.PID()))
	b.sameExit(b.wait(p), bySignal(9))
}

func signaled(b *bed) {
	p := b.start(b.sb, sandbox.Command{ID: "victim", Argv: []string{"sleep", "1000"}})
	b.noError("signal", p.Signal(b.ctx, 15))
	b.sameExit(b.wait(p), bySignal(15))
}

func signalHandled(b *bed) {
	p := b.start(b.sb, sandbox.Command{
		ID: "handler", Script: `trap ': >seen' HUP; trap 'exit 7' INT; : >ready; while :; do sleep 0.02; done`,
	})
	b.eventuallyFile("ready")
	b.noError("signal", p.Signal(b.ctx, 1))
	b.eventuallyFile("seen")
	b.noError("signal", p.Signal(b.ctx, 2))
	b.sameExit(b.wait(p), exited(7))
}

// eventuallyFile waits for a file to appear.
func (b *bed) eventuallyFile(path string) {
	b.Helper()
	b.eventually(path+" is there", func() bool { return b.run(sandbox.Command{Argv: []string{"test", "-e", path}}).exit.Ok() })
}

func signalItself(b *bed) {
	p := b.start(b.sb, sandbox.Command{ID: "parent", Script: `
		sh -c 'trap ": >child-got" HUP; : >ready; while :; do sleep 0.02; done' &
		child=$!
		trap ': >parent-got' HUP
		while [ ! -e parent-got ]; do sleep 0.02; done
		kill -KILL $child
		wait $child
		test ! -e child-got`})
	b.eventuallyFile("ready")
	b.noError("signal", p.Signal(b.ctx, 1))
	b.sameExit(b.wait(p), exited(0))
}

func killedIsSignaled(b *bed) {
	if !b.first().Capabilities().KillableProcesses {
		return
	}
	p := b.start(b.sb, sandbox.Command{ID: "victim", Argv: []string{"sleep", "1000"}})
	b.noError("kill", b.resume(b.second()).Kill(b.ctx, "victim", 0))
	b.sameExit(b.wait(p), bySignal(9))
}

func notExecutable(b *bed) {
	b.put("plain", []byte("echo hi\n"))
	b.sh("chmod 644 plain; mkdir folder")
	for _, name := range []string{"./plain", b.sb.Info().Root + "/plain", "./folder"} {
		b.unstarted(name, 126)
	}
}

func notFound(b *bed) {
	b.put("orphaned", []byte("#!/no/such/interpreter\n"))
	b.sh("chmod 755 orphaned")
	for _, name := range []string{"no-such-program", "./missing", "/no/such/folder/program", "./orphaned"} {
		b.unstarted(name, 127)
	}
}

func (b *bed) unstarted(name string, code int) {
	b.Helper()
	r := b.run(sandbox.Command{Argv: []string{name, "an argument"}})
	if r.pid != -1 {
		b.Errorf("%s: pid %d, want -1", name, r.pid)
	}
	if r.exit.Code != code || r.exit.Reason != sandbox.ReasonExited || r.exit.Signal != 0 {
		b.Errorf("%s: exit %+v, want code %d", name, r.exit, code)
	}
	if len(r.stdout)+len(r.stderr) > 0 {
		b.Errorf("%s: output %q %q of a program that didn't run", name, r.stdout, r.stderr)
	}
}

func ownCodes(b *bed) {
	for _, code := range []int{126, 127} {
		r := b.run(sandbox.Command{Script: "exit " + strconv.Itoa(code)})
		b.sameExit(r.exit, exited(code))
		if r.pid <= 0 {
			b.Errorf("exit %d: pid %d", code, r.pid)
		}
	}
}

func waitLatched(b *bed) {
	in := newGate(b)
	p := b.start(b.sb, sandbox.Command{ID: "waited", Script: "read line; exit 5", Stdin: in.reader})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if exit, err := p.Wait(b.ctx); exit.Code != 5 || err != nil {
				b.Errorf("one of many: %+v %v", exit, err)
			}
		})
	}
	b.noError("close stdin", in.writer.Close())
	b.soon("the waits of all", all.Wait)
	for range 3 {
		b.soon("a wait after the exit", func() { b.sameExit(b.wait(p), exited(5)) })
	}
	b.noError("close", p.Close())
	b.noError("close again", p.Close())
	b.sameExit(b.wait(p), exited(5))
}

func waitEnds(b *bed) {
	in := newGate(b)
	p := b.start(b.sb, sandbox.Command{ID: "waited", Script: "read line; exit 5", Stdin: in.reader})
	ctx, cancel := context.WithTimeout(b.ctx, 50*time.Millisecond)
	defer cancel()
	b.soon("a wait whose context ends", func() {
		if exit, err := p.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			b.Errorf("wait: %+v %v, want the context's error", exit, err)
		}
	})
	if alive, err := b.sb.Alive(b.ctx, "waited"); alive != sandbox.AliveYes || err != nil {
		b.Errorf("alive: %v %v", alive, err)
	}
	b.noError("close stdin", in.writer.Close())
	b.sameExit(b.wait(p), exited(5))
}

func startReturns(b *bed) {
	p := b.start(b.sb, sandbox.Command{ID: "running", Script: "sleep 1000"})
	if p.PID() <= 0 {
		b.Fatalf("pid %d", p.PID())
	}
	b.sh(`kill -0 "$1"`, strconv.Itoa(p.PID()))
	if alive, err := b.sb.Alive(b.ctx, "running"); alive != sandbox.AliveYes || err != nil {
		b.Errorf("alive: %v %v", alive, err)
	}
}
