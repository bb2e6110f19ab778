package providertest

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func lifeCases() []testCase {
	return []testCase{
		{"the same key twice gives the same sandbox", sameKey},
		{"the same key from two plugin processes at once gives one sandbox", sameKeyAtOnce},
		{"an id is 1 to 256 printable bytes", idIsPrintable},
		{"a sandbox is listed with its labels", listed},
		{"another plugin process resumes it with the same info", resumed},
		{"nothing is listed twice, nor what another owner made", listedOnce},
		{"destroying twice is no error", destroyTwice},
		{"destroying what never was is no error", destroyNothing},
		{"a destroyed sandbox isn't listed", destroyedNotListed},
		{"a destroyed sandbox is Gone", destroyedIsGone},
		{"an id that never was is Gone or Invalid", neverWas},
		{"destroy ends every process", destroyEndsProcesses},
		{"destroying one sandbox leaves another alone", destroyLeavesOthers},
		{"a sandbox made again under the same key is empty", madeAgain},
		{"a create that says it was canceled leaves nothing", canceledCreate},
		{"the base environment reaches every process, also after resume", baseEnvironment},
		{"a key that is none is Invalid", badKey},
		{"progress is told in phases, never after the call", progressTold},
		{"files outlast every plugin process", filesOutlastPlugins},
	}
}

func sameKey(b *bed) {
	b.put("mine", []byte("x"))
	again := b.create(b.request())
	if again.ID() != b.sb.ID() {
		b.Errorf("ids %q and %q", b.sb.ID(), again.ID())
	}
	b.shIn(again, "test -f mine")
	third, err := b.second().Create(b.ctx, b.request())
	b.noError("create in another plugin process", err)
	if third.ID() != b.sb.ID() {
		b.Errorf("another plugin process: ids %q and %q", b.sb.ID(), third.ID())
	}
}

func sameKeyAtOnce(b *bed) {
	req := b.requestFor(newKey())
	ids := make([]string, 8)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			sb, err := b.suite.plugins[i%2].Provider.Create(b.ctx, req)
			if err != nil {
				b.Errorf("create: %v", err)
				return
			}
			ids[i] = sb.ID()
		})
	}
	all.Wait()
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		b.destroyAtEnd(id)
	}
	if len(slices.Compact(slices.Clone(ids))) != 1 {
		b.Errorf("ids %q", ids)
	}
	if n := len(b.listed(b.first(), req.Key)); n != 1 {
		b.Errorf("List tells of %d sandboxes with the key of this one, want 1", n)
	}
}

func idIsPrintable(b *bed) {
	id := b.sb.ID()
	if id == "" || len(id) > 256 || !printable(id) {
		b.Errorf("id %q", id)
	}
}

func printable(id string) bool {
	return !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
}

// listed returns the summaries with a key.
func (b *bed) listed(p sandbox.Provider, key string) []sandbox.Summary {
	b.Helper()
	all, err := p.List(b.ctx)
	b.noError("list", err)
	return slices.DeleteFunc(all, func(s sandbox.Summary) bool { return s.Labels.Key != key })
}

func listed(b *bed) {
	for _, p := range []sandbox.Provider{b.first(), b.second()} {
		found := b.listed(p, b.key)
		if len(found) != 1 {
			b.Fatalf("List tells of %d sandboxes with the key of this one, want 1", len(found))
		}
		got := found[0]
		if got.ID != b.sb.ID() || got.Labels != b.request().Labels {
			b.Errorf("listed as %+v, want id %s and %+v", got, b.sb.ID(), b.request().Labels)
		}
		if got.State != sandbox.StateRunning && got.State != sandbox.StateUnknown {
			b.Errorf("state %q", got.State)
		}
		if age := time.Since(got.Created); !got.Created.IsZero() && (age < -time.Hour || age > time.Hour) {
			b.Errorf("created %v", got.Created)
		}
	}
}

func listedOnce(b *bed) {
	all, err := b.first().List(b.ctx)
	b.noError("list", err)
	seen := map[string]bool{}
	for _, s := range all {
		if seen[s.ID] {
			b.Errorf("%s is listed twice", s.ID)
		}
		seen[s.ID] = true
		if s.Labels.Owner != b.suite.opts.Owner && s.Labels.Owner != sandbox.OwnerUnknown {
			b.Errorf("%s of owner %q is listed", s.ID, s.Labels.Owner)
		}
	}
}

func resumed(b *bed) {
	sb := b.resume(b.second())
	if sb.ID() != b.sb.ID() || sb.Info() != b.sb.Info() {
		b.Errorf("resumed %s %+v, created %s %+v", sb.ID(), sb.Info(), b.sb.ID(), b.sb.Info())
	}
	b.put("seen", []byte("x"))
	b.shIn(sb, "test -f seen")
}

func neverWas(b *bed) {
	for _, id := range nonsense() {
		_, err := b.first().Resume(b.ctx, sandbox.ResumeRequest{ID: id})
		b.mustBe("resume "+id, err, sandbox.Gone, sandbox.Invalid)
	}
	_, err := b.first().Resume(b.ctx, sandbox.ResumeRequest{})
	b.mustBe("resume without an id", err, sandbox.Invalid, sandbox.Gone)
}

func canceledCreate(b *bed) {
	early, cancelEarly := context.WithCancel(b.ctx)
	cancelEarly()
	for i := range 12 {
		req := b.requestFor(newKey())
		ctx, cancel := context.WithCancel(b.ctx)
		if i == 0 { // canceled before it begins
			ctx = early
		}
		timer := time.AfterFunc(time.Duration(rand.IntN(5000))*time.Microsecond, cancel)
		sb, err := b.first().Create(ctx, req)
		timer.Stop()
		cancel()
		if err == nil { // it was faster than the cancel
			b.noError("destroy", b.first().Destroy(b.ctx, sb.ID()))
			continue
		}
		b.mustBe("canceled create", err, sandbox.Canceled)
		if left := b.listed(b.second(), req.Key); len(left) > 0 {
			b.Errorf("canceled create %d left %v", i, left)
		}
	}
}

func baseEnvironment(b *bed) {
	req := b.requestFor(newKey())
	req.Env = map[string]string{"BASE": "of create", "BOTH": "base"}
	sb := b.create(req)
	show := sandbox.Command{
		Script: `printf '%s|%s|%s' "$BASE" "$BOTH" "$OWN"`, Env: map[string]string{"BOTH": "command", "OWN": "own"},
	}
	if got := string(b.runIn(sb, show).stdout); got != "of create|command|own" {
		b.Errorf("after create %q", got)
	}
	p := b.open()
	again, err := p.Provider.Resume(b.ctx, sandbox.ResumeRequest{ID: sb.ID(), Env: map[string]string{"BASE": "of resume"}})
	b.noError("resume", err)
	show.ID = ""
	if got := string(b.runIn(again, show).stdout); got != "of resume|command|own" {
		b.Errorf("after resume %q", got)
	}
}

func badKey(b *bed) {
	for _, key := range []string{"", "short", strings.Repeat("g", 64), "../" + newKey()[3:], strings.Repeat("a", 65)} {
		sb, err := b.first().Create(b.ctx, b.requestFor(key))
		b.mustBe("create with key "+key, err, sandbox.Invalid)
		if err == nil {
			b.destroyAtEnd(sb.ID())
		}
	}
}

func progressTold(b *bed) {
	var mu sync.Mutex
	returned := false
	req := b.requestFor(newKey())
	req.Progress = func(p sandbox.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if returned {
			b.Errorf("progress after the call: %+v", p)
		}
		if p.Phase == "" || p.Percent < -1 || p.Percent > 100 || strings.Contains(p.Detail, "\n") {
			b.Errorf("progress %+v", p)
		}
	}
	sb := b.create(req)
	again := sandbox.ResumeRequest{ID: sb.ID(), Progress: req.Progress}
	_, err := b.first().Resume(b.ctx, again)
	mu.Lock()
	returned = true
	mu.Unlock()
	b.noError("resume", err)
	b.shIn(sb, "true")
}

func filesOutlastPlugins(b *bed) {
	if !b.first().Capabilities().DurableFilesystem {
		b.Logf("durable_filesystem is false: nothing is promised")
		return
	}
	maker := b.open()
	req := b.requestFor(newKey())
	sb, err := maker.Provider.Create(b.ctx, req)
	b.noError("create", err)
	b.destroyAtEnd(sb.ID())
	b.shIn(sb, `printf kept >file && printf kept >"$1"`, sb.Info().StateDir+"/kept")
	b.noError("close", maker.Close())
	later := b.open()
	again, err := later.Provider.Resume(b.ctx, sandbox.ResumeRequest{ID: sb.ID()})
	b.noError("resume", err)
	if got := b.shIn(again, `cat file "$1"`, again.Info().StateDir+"/kept"); got != "keptkept" {
		b.Errorf("files hold %q", got)
	}
}
