package providertest

import (
	"context"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func snapshotCases() []testCase {
	return []testCase{
		{"a restored sandbox has the files of then, also a big one just written, and nothing of the state folder", restoreFiles},
		{"a snapshot outlives its source, and what is made of it is apart", outlives},
		{"a restored sandbox is what its request says, and one for each key", restoreAsked},
		{"two snapshots at once are both whole", snapshotsAtOnce},
		{"a snapshot is listed with its labels until it is deleted, which may be done twice", snapshotListed},
		{"what is no snapshot can't be restored", restoreNothing},
		{"a snapshot does to what runs no more than it says", snapshotDisrupts},
		{"a snapshot and a restore that say they were canceled leave nothing", canceledSnapshots},
	}
}

func restoreFiles(b *bed) {
	b.furnish(b.sb)
	snap := b.snapshot(b.sb, "full")
	had := b.look(b.sb)
	b.sh(`printf new >file && chmod 600 file && rm -r removed dir big && printf x >added && printf new >"$1/of-home"`, b.sb.Info().Home)
	req := b.requestFor(newKey())
	sb := b.made(b.snapshots(b.second()).Restore(b.ctx, snap.ID, req))
	b.isCopy("the restored sandbox", sb, had)
	if got := b.sh("cat file added"); got != "newx" {
		b.Errorf("the source has %q after the restore", got)
	}
}

func outlives(b *bed) {
	sb := b.create(b.requestFor(newKey()))
	b.furnish(sb)
	snap := b.snapshot(sb, "")
	b.noError("destroy the source", b.first().Destroy(b.ctx, sb.ID()))
	restore := func() sandbox.Sandbox {
		return b.made(b.snapshots(b.second()).Restore(b.ctx, snap.ID, b.requestFor(newKey())))
	}
	first, second := restore(), restore()
	b.apart(first, second)
	third := restore()
	b.shIn(third, "test ! -e added")
	b.apart(second, third)
}

func restoreAsked(b *bed) {
	b.put("file", []byte("x"))
	snap := b.snapshot(b.sb, "")
	sb := b.asked(func(req sandbox.CreateRequest) (sandbox.Sandbox, error) {
		return b.snapshots(b.first()).Restore(b.ctx, snap.ID, req)
	})
	b.shIn(sb, "test -f file")
}

func snapshotsAtOnce(b *bed) {
	b.furnish(b.sb)
	had := b.look(b.sb)
	sources := []sandbox.Sandbox{b.sb, b.resume(b.second())}
	snaps := make([]sandbox.Snapshot, 2)
	var all sync.WaitGroup
	for i, sb := range sources {
		all.Go(func() {
			var err error
			if snaps[i], err = b.trySnapshot(sb, "at once"); err != nil {
				b.Errorf("snapshot %d: %v", i, err)
			}
		})
	}
	all.Wait()
	for _, snap := range snaps {
		if snap.ID != "" {
			b.deleteAtEnd(snap.ID)
		}
	}
	if snaps[0].ID == snaps[1].ID {
		b.Fatalf("both are %q", snaps[0].ID)
	}
	for _, snap := range snaps {
		b.isCopy("one of two", b.made(b.snapshots(b.first()).Restore(b.ctx, snap.ID, b.requestFor(newKey()))), had)
	}
}

func snapshotListed(b *bed) {
	b.put("file", []byte("x"))
	snap := b.snapshot(b.sb, "before the tests")
	if snap.ID == "" || len(snap.ID) > 256 || !printable(snap.ID) {
		b.Errorf("id %q isn't 1 to 256 printable bytes", snap.ID)
	}
	for _, p := range []sandbox.Provider{b.first(), b.second()} {
		found := b.kept(p)
		if len(found) != 1 {
			b.Fatalf("Snapshots tells of %d of this sandbox, want 1", len(found))
		}
		got := found[0]
		if got.ID != snap.ID || got.Label != "before the tests" || got.Labels != b.request().Labels || got.Size < -1 {
			b.Errorf("listed as %+v, want id %s, the label and %+v", got, snap.ID, b.request().Labels)
		}
		if age := time.Since(got.Created); !got.Created.IsZero() && (age < -time.Hour || age > time.Hour) {
			b.Errorf("created %v", got.Created)
		}
	}
	for range 2 {
		b.noError("delete", b.snapshots(b.second()).DeleteSnapshot(b.ctx, snap.ID))
	}
	if left := b.kept(b.first()); len(left) > 0 {
		b.Errorf("a deleted snapshot is listed: %+v", left)
	}
	req := b.requestFor(newKey())
	_, err := b.snapshots(b.first()).Restore(b.ctx, snap.ID, req)
	b.mustBe("restore what was deleted", err, sandbox.NotFound)
	if left := b.listed(b.first(), req.Key); len(left) > 0 {
		b.Errorf("a restore of nothing left %+v", left)
	}
	b.sh("test -f file")
}

func restoreNothing(b *bed) {
	for _, id := range append(nonsense(), b.sb.ID()) {
		req := b.requestFor(newKey())
		sb, err := b.snapshots(b.first()).Restore(b.ctx, id, req)
		b.mustBe("restore "+id, err, sandbox.NotFound, sandbox.Invalid)
		if err == nil {
			b.destroyAtEnd(sb.ID())
		}
		if err := b.snapshots(b.first()).DeleteSnapshot(b.ctx, id); err != nil {
			b.mustBe("delete "+id, err, sandbox.Invalid)
		}
	}
	b.sh("true") // it was no snapshot, and is there yet
}

func canceledSnapshots(b *bed) {
	b.furnish(b.sb)
	source, err := sandbox.As[sandbox.Snapshotable](b.sb)
	b.noError("ask for snapshots", err)
	want := 0
	b.canceled("snapshot", func(ctx context.Context) error {
		snap, err := source.Snapshot(ctx, sandbox.SnapshotRequest{Labels: b.request().Labels})
		if err == nil { // it was faster than the cancel
			want++
			b.deleteAtEnd(snap.ID)
		}
		return err
	}, func() {
		if left := b.kept(b.second()); len(left) != want {
			b.Errorf("a canceled snapshot left one: %+v, want %d", left, want)
		}
	})
	b.sh("test -f file")
	snap := b.snapshot(b.sb, "")
	b.canceledMake("restore", func(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
		return b.snapshots(b.first()).Restore(ctx, snap.ID, req)
	})
	if left := b.kept(b.second()); len(left) != want+1 {
		b.Errorf("after the restores there are %d snapshots, want %d", len(left), want+1)
	}
}

// canceledMake is canceled for what makes a sandbox.
func (b *bed) canceledMake(what string, make func(context.Context, sandbox.CreateRequest) (sandbox.Sandbox, error)) {
	b.Helper()
	var req sandbox.CreateRequest
	b.canceled(what, func(ctx context.Context) error {
		req = b.requestFor(newKey())
		sb, err := make(ctx, req)
		if err == nil {
			b.noError("destroy", b.first().Destroy(b.ctx, sb.ID()))
		}
		return err
	}, func() {
		if left := b.listed(b.second(), req.Key); len(left) > 0 {
			b.Errorf("a canceled %s left %+v", what, left)
		}
	})
}

// canceled makes a call whole, to know how long it takes, and then cancels others
// in their beginning, middle and end. Each that says so must have left nothing.
func (b *bed) canceled(what string, call func(context.Context) error, leftNothing func()) {
	b.Helper()
	begin := time.Now()
	b.noError(what, call(b.ctx))
	took := time.Since(begin)
	for i := range 4 {
		ctx, cancel := context.WithCancel(b.ctx)
		if i == 0 {
			cancel() // before it begins
		}
		timer := time.AfterFunc(took*time.Duration(i)/4, cancel)
		err := call(ctx)
		timer.Stop()
		cancel()
		if err != nil {
			b.mustBe("canceled "+what, err, sandbox.Canceled)
		}
		leftNothing()
	}
}
