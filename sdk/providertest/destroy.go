package providertest

import (
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func destroyTwice(b *bed) {
	b.noError("destroy", b.first().Destroy(b.ctx, b.sb.ID()))
	b.noError("destroy again", b.first().Destroy(b.ctx, b.sb.ID()))
	b.noError("destroy in another plugin process", b.second().Destroy(b.ctx, b.sb.ID()))
}

func destroyNothing(b *bed) {
	// An id of the provider's own making, of a sandbox that is gone.
	req := b.requestFor(newKey())
	sb, err := b.first().Create(b.ctx, req)
	b.noError("create", err)
	b.noError("destroy in another plugin process", b.second().Destroy(b.ctx, sb.ID()))
	b.noError("destroy what is gone", b.first().Destroy(b.ctx, sb.ID()))
	for _, id := range nonsense() {
		if err := b.first().Destroy(b.ctx, id); err != nil {
			b.mustBe("destroy "+id, err, sandbox.Invalid, sandbox.Gone)
		}
	}
	b.sh("true") // the case's own sandbox is untouched
}

func destroyedNotListed(b *bed) {
	b.noError("destroy", b.first().Destroy(b.ctx, b.sb.ID()))
	for _, p := range []sandbox.Provider{b.first(), b.second()} {
		if found := b.listed(p, b.key); len(found) != 0 {
			b.Errorf("still listed: %+v", found)
		}
	}
}

func destroyedIsGone(b *bed) {
	other := b.resume(b.second())
	b.noError("destroy", b.first().Destroy(b.ctx, b.sb.ID()))
	for _, p := range []sandbox.Provider{b.first(), b.second()} {
		_, err := p.Resume(b.ctx, sandbox.ResumeRequest{ID: b.sb.ID()})
		b.mustBe("resume", err, sandbox.Gone)
	}
	for _, sb := range []sandbox.Sandbox{b.sb, other} {
		p, err := sb.Start(b.ctx, sandbox.Command{ID: "late", Argv: []string{"true"}})
		b.mustBe("start", err, sandbox.Gone)
		if err == nil {
			_ = p.Close()
		}
	}
}

func destroyEndsProcesses(b *bed) {
	if !b.seesProcesses() {
		// What no process of this sandbox can tell any more, the id tells.
		b.start(b.sb, sandbox.Command{ID: "long", Script: "sleep 1000", Detached: true})
		b.noError("destroy", b.second().Destroy(b.ctx, b.sb.ID()))
		_, err := b.second().Resume(b.ctx, sandbox.ResumeRequest{ID: b.sb.ID()})
		b.mustBe("resume", err, sandbox.Gone)
		return
	}
	word := "beats-" + newKey()[:16]
	for _, detached := range []bool{false, true} {
		b.start(b.sb, sandbox.Command{ID: b.id("long"), Argv: shell(`setsid sh -c 'sleep 1000; : "$1"' sh "$1" & sleep 1000`, word), Detached: detached})
	}
	b.eventually("both trees run", func() bool { return len(b.processes(word)) >= 4 })
	b.noError("destroy", b.second().Destroy(b.ctx, b.sb.ID()))
	if left := b.processes(word); len(left) != 0 {
		b.Errorf("still running: %+v", left)
	}
}

func destroyLeavesOthers(b *bed) {
	other := b.create(b.requestFor(newKey()))
	if other.ID() == b.sb.ID() {
		b.Fatalf("two keys, one id %q", other.ID())
	}
	p := b.start(b.sb, sandbox.Command{ID: "same-id", Script: "read line; exit 7", Stdin: newGate(b).reader})
	b.start(other, sandbox.Command{ID: "same-id", Script: "sleep 1000", Detached: true})
	b.noError("kill in the other", other.Kill(b.ctx, "same-id", 0))
	b.noError("destroy the other", b.first().Destroy(b.ctx, other.ID()))
	if alive, err := b.sb.Alive(b.ctx, "same-id"); alive != sandbox.AliveYes || err != nil {
		b.Errorf("alive: %v %v", alive, err)
	}
	b.noError("kill", b.sb.Kill(b.ctx, "same-id", 0))
	if exit := b.wait(p); exit.Signal == 0 {
		b.Errorf("exit %+v, it wasn't killed by this case", exit)
	}
}

func madeAgain(b *bed) {
	b.put("old", []byte("x"))
	b.noError("destroy", b.first().Destroy(b.ctx, b.sb.ID()))
	again := b.create(b.request())
	if out := b.shIn(again, "ls -A"); out != "" {
		b.Errorf("it holds %q", out)
	}
	if n := len(b.listed(b.second(), b.key)); n != 1 {
		b.Errorf("List tells of %d sandboxes with the key of this one, want 1", n)
	}
}

// nonsense are ids that no provider gives.
func nonsense() []string {
	return []string{"nonsense", "../../etc", "/", ".", "..", "a/b", "-rf", strings.Repeat("x", 256), "sandlot-0000000000000000"}
}
