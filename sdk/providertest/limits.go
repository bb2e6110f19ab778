package providertest

import (
	"sync/atomic"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/proctree/leakcheck"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func limitCases() []testCase {
	return []testCase{
		{"a timeout kills the tree and says timed_out", timeoutKills},
		{"a timeout counts from the start of the process", timeoutCounts},
		{"a command that is faster than its timeout ends as ever", timeoutUnused},
		{"max_output kills the tree and says output_limit", outputLimit},
		{"max_output counts stdout and stderr together", outputTogether},
		{"exactly max_output bytes are within the limit", outputExactly},
		{"a child that keeps the pipe doesn't hold the exit", keptPipe},
		{"what a child prints right after the exit still arrives", drained},
	}
}

// timeoutKills needs a tree that lives before its timeout: where the machine is
// too busy for that, the timeout is longer the next time.
func timeoutKills(b *bed) {
	for _, timeout := range []time.Duration{2 * time.Second, 10 * time.Second, 50 * time.Second} {
		id := b.id("timed")
		cmd := b.tree(id, id)
		cmd.Timeout = timeout
		p := b.start(b.sb, cmd)
		missing := b.silent(timeout, id)
		exit := b.wait(p)
		if exit.Reason != sandbox.ReasonTimedOut || exit.Ok() {
			b.Errorf("exit %+v", exit)
		}
		b.eventuallyStill("after the timeout", id)
		if len(missing) == 0 {
			return
		}
		b.Logf("within %v there was no heartbeat of %q", timeout, missing)
	}
	b.Errorf("no tree was alive before its timeout")
}

func timeoutCounts(b *bed) {
	const limit = 400 * time.Millisecond
	begin := time.Now()
	p := b.start(b.sb, sandbox.Command{ID: "timed", Argv: []string{"sleep", "1000"}, Timeout: limit})
	exit := b.wait(p)
	took := time.Since(begin)
	if exit.Reason != sandbox.ReasonTimedOut {
		b.Errorf("exit %+v", exit)
	}
	if took < limit || took > limit+b.suite.opts.Patience {
		b.Errorf("it took %v, with a timeout of %v", took, limit)
	}
}

func timeoutUnused(b *bed) {
	b.sameExit(b.run(sandbox.Command{Script: "exit 3", Timeout: time.Minute}).exit, exited(3))
}

func outputLimit(b *bed) {
	const limit = 1 << 20
	cmd := b.tree("loud", "beats")
	cmd.Argv = shell(`sh -c "$2" sh "$1" & while [ ! -e go ]; do sleep 0.02; done; yes`, "beats", leakcheck.Script)
	cmd.MaxOutput = limit
	var n atomic.Int64 // not the bytes: there may be no end of them
	cmd.Stdout = writerFunc(func(p []byte) { n.Add(int64(len(p))) })
	p := b.start(b.sb, cmd)
	b.beating("beats")
	b.sh(": >go")
	if exit := b.wait(p); exit.Reason != sandbox.ReasonOutputLimit || exit.Ok() {
		b.Errorf("exit %+v", exit)
	}
	if n := n.Load(); n > limit || n < limit/2 {
		b.Errorf("%d bytes arrived, with a limit of %d", n, limit)
	}
	b.eventuallyStill("after the limit", "beats")
}

func outputTogether(b *bed) {
	var out, stderr buffer
	p := b.start(b.sb, sandbox.Command{
		ID: "loud", Script: "head -c 6000 /dev/zero; head -c 6000 /dev/zero >&2; sleep 1000",
		MaxOutput: 10000, Stdout: &out, Stderr: &stderr,
	})
	if exit := b.wait(p); exit.Reason != sandbox.ReasonOutputLimit {
		b.Errorf("exit %+v", exit)
	}
	if n := len(out.Bytes()) + len(stderr.Bytes()); n > 10000 {
		b.Errorf("%d bytes arrived, with a limit of 10000", n)
	}
}

func outputExactly(b *bed) {
	r := b.run(sandbox.Command{Script: "head -c 6000 /dev/zero; head -c 4000 /dev/zero >&2; exit 3", MaxOutput: 10000})
	b.sameExit(r.exit, exited(3))
	if len(r.stdout) != 6000 || len(r.stderr) != 4000 {
		b.Errorf("%d and %d bytes", len(r.stdout), len(r.stderr))
	}
}

func keptPipe(b *bed) {
	var out buffer
	p := b.start(b.sb, sandbox.Command{ID: "parent", Script: "setsid sleep 1000 & echo hi; exit 3", Stdout: &out})
	var exit sandbox.Exit
	b.soon("the exit, with a child that lives for 1000 s", func() { exit = b.wait(p) })
	b.sameExit(exit, exited(3))
	if out.String() != "hi\n" {
		b.Errorf("stdout %q", &out)
	}
}

func drained(b *bed) {
	// The clock of a busy machine is forgiven: once in five is enough.
	for i := range 5 {
		r := b.run(sandbox.Command{ID: b.id("early"), Script: "(sleep 0.05; echo late) & echo early"})
		if string(r.stdout) == "early\nlate\n" {
			return
		}
		b.Logf("try %d: %q", i+1, r.stdout)
	}
	b.Errorf("what a child printed 50 ms after the exit never arrived")
}
