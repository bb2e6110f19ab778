package plugin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/remote"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// rich is a provider with every optional interface. It notes what it is asked.
type rich struct {
	bare
	snapshot func(ctx context.Context, req sandbox.SnapshotRequest) (sandbox.Snapshot, error)

	mu    sync.Mutex
	calls []string
}

func (r *rich) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, fmt.Sprintf(format, args...))
}

func (r *rich) Capabilities() sandbox.Capabilities {
	return sandbox.Capabilities{Disruption: sandbox.DisruptionPause}.Of(r, richBox{})
}

func (r *rich) Create(context.Context, sandbox.CreateRequest) (sandbox.Sandbox, error) {
	return richBox{of: r, id: "first"}, nil
}

func (r *rich) Restore(_ context.Context, id string, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	req.Progress(sandbox.Progress{Phase: "create", Percent: -1})
	r.note("restore %s for %s with %v", id, req.Harness, req.Env)
	return richBox{of: r, id: "restored"}, nil
}

func snapOfABox() sandbox.Snapshot {
	return sandbox.Snapshot{
		ID: "snap", Label: "before", Labels: sandbox.Labels{Owner: "me", Project: "/p\xff"}, Created: time.UnixMilli(1), Size: 1 << 40,
	}
}

func (r *rich) Snapshots(context.Context) ([]sandbox.Snapshot, error) {
	return []sandbox.Snapshot{snapOfABox(), {ID: "other", Size: -1}}, nil
}

func (r *rich) DeleteSnapshot(_ context.Context, id string) error {
	r.note("delete %s", id)
	return sandbox.Errorf(sandbox.Conflict, "snapshot %s is in use", id)
}

type richBox struct {
	box
	of *rich
	id string
}

func (b richBox) ID() string { return b.id }

func (b richBox) Port(_ context.Context, port int) (sandbox.Port, error) {
	b.of.note("port %d of %s", port, b.id)
	return sandbox.Port{URL: "https://x", Headers: map[string]string{"X-Token": "s3cret"}, Expires: time.UnixMilli(7)}, nil
}

func (b richBox) KeepAlive(_ context.Context, d time.Duration) error {
	b.of.note("keep %s for %s", b.id, d)
	return nil
}

func (b richBox) Fork(_ context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	b.of.note("fork %s as %.4s", b.id, req.Key)
	return richBox{of: b.of, id: "forked"}, nil
}

func (b richBox) Snapshot(ctx context.Context, req sandbox.SnapshotRequest) (sandbox.Snapshot, error) {
	b.of.note("snapshot %s of %s", b.id, req.Labels.Owner)
	if b.of.snapshot != nil {
		return b.of.snapshot(ctx, req)
	}
	req.Progress(sandbox.Progress{Phase: "snapshot", Percent: 50})
	return snapOfABox(), nil
}

// far is a sandbox of a provider behind a pipe, and that.
func far(t *testing.T, p sandbox.Provider) (sandbox.Sandbox, sandbox.Provider) {
	t.Helper()
	remote := ProviderPipe(t, p)
	sb, err := remote.Create(t.Context(), sandbox.CreateRequest{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return sb, remote
}

func ask[T any](t *testing.T, sb sandbox.Sandbox) T {
	t.Helper()
	v, err := sandbox.As[T](sb)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestWhatAProviderCanDoBesideCrossesTheWire(t *testing.T) {
	r := &rich{}
	sb, p := far(t, r)
	want := sandbox.Capabilities{
		Ports: true, Snapshots: true, Forks: true, Keeps: true, NetworkPolicy: sandbox.NetworkNone, Disruption: sandbox.DisruptionPause,
	}
	if diff := cmp.Diff(want, sb.Info().Capabilities); diff != "" {
		t.Errorf("capabilities (-want +got):\n%s", diff)
	}
	snapshots, err := sandbox.AsProvider[sandbox.Snapshotter](wrapped{p})
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	tell := func(sandbox.Progress) { steps++ }
	snap, err := ask[sandbox.Snapshotable](t, sb).Snapshot(t.Context(), sandbox.SnapshotRequest{
		Label: "before", Labels: sandbox.Labels{Owner: "me"}, Progress: tell,
	})
	if diff := cmp.Diff(snapOfABox(), snap); diff != "" || err != nil || steps != 1 {
		t.Errorf("snapshot: %d steps, %v (-want +got):\n%s", steps, err, diff)
	}
	list, err := snapshots.Snapshots(t.Context())
	if diff := cmp.Diff([]sandbox.Snapshot{snapOfABox(), {ID: "other", Size: -1}}, list); diff != "" || err != nil {
		t.Errorf("snapshots: %v (-want +got):\n%s", err, diff)
	}
	req := sandbox.CreateRequest{Key: key, Harness: "acp", Env: map[string]string{"A": "1"}, Progress: tell}
	restored, err := snapshots.Restore(t.Context(), "snap", req)
	if err != nil || restored.ID() != "restored" || steps != 2 {
		t.Fatalf("restore: %v, %v, %d steps", restored, err, steps)
	}
	forked, err := ask[sandbox.Forker](t, restored).Fork(t.Context(), req)
	if err != nil || forked.ID() != "forked" {
		t.Fatalf("fork: %v, %v", forked, err)
	}
	port, err := ask[sandbox.Porter](t, forked).Port(t.Context(), 8080)
	if err != nil || port.URL != "https://x" || port.Headers["X-Token"] != "s3cret" || !port.Expires.Equal(time.UnixMilli(7)) {
		t.Errorf("port: %v, %v", port, err)
	}
	if err := ask[sandbox.Keeper](t, forked).KeepAlive(t.Context(), time.Minute); err != nil {
		t.Errorf("keep alive: %v", err)
	}
	if err := snapshots.DeleteSnapshot(t.Context(), "snap"); !errors.Is(err, sandbox.Conflict) {
		t.Errorf("delete: %v", err)
	}
	calls := []string{
		"snapshot first of me", "restore snap for acp with map[A:1]", "fork restored as 0123", "port 8080 of forked", "keep forked for 1m0s", "delete snap",
	}
	if diff := cmp.Diff(calls, r.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// wrapped is a provider in another's clothes, as a host may have it.
type wrapped struct{ sandbox.Provider }

func (w wrapped) Unwrap() sandbox.Provider { return w.Provider }

// beside are calls of all optional interfaces but Files, by capability. A remote
// one has all of them.
func beside(ctx context.Context, sb sandbox.Sandbox, p sandbox.Provider) map[string]error {
	errs := map[string]error{}
	_, errs["ports"] = sb.(sandbox.Porter).Port(ctx, 80)
	_, errs["snapshots"] = sb.(sandbox.Snapshotable).Snapshot(ctx, sandbox.SnapshotRequest{})
	_, errs["fork"] = sb.(sandbox.Forker).Fork(ctx, sandbox.CreateRequest{Key: key})
	errs["keep_alive"] = sb.(sandbox.Keeper).KeepAlive(ctx, time.Minute)
	_, errs["snapshots (list)"] = p.(sandbox.Snapshotter).Snapshots(ctx)
	_, errs["snapshots (restore)"] = p.(sandbox.Snapshotter).Restore(ctx, "s", sandbox.CreateRequest{Key: key})
	errs["snapshots (delete)"] = p.(sandbox.Snapshotter).DeleteSnapshot(ctx, "s")
	_, errs["ports (as)"] = sandbox.As[sandbox.Porter](sb)
	_, errs["snapshots (as)"] = sandbox.As[sandbox.Snapshotable](sb)
	_, errs["fork (as)"] = sandbox.As[sandbox.Forker](sb)
	_, errs["keep_alive (as)"] = sandbox.As[sandbox.Keeper](sb)
	_, errs["snapshots (as provider)"] = sandbox.AsProvider[sandbox.Snapshotter](p)
	return errs
}

func TestWhatAProviderCanNotDoIsUnsupported(t *testing.T) {
	sb, p := far(t, bare{})
	for what, err := range beside(t.Context(), sb, p) {
		name, _, _ := strings.Cut(what, " ")
		if e, ok := errors.AsType[*sandbox.Error](err); !ok || e.Class != sandbox.Unsupported || e.Capability != name {
			t.Errorf("%s: got %#v", what, err)
		}
	}
}

func TestBadRequestsDoNotReachTheProvider(t *testing.T) {
	r := &rich{}
	sb, p := far(t, r)
	ctx, snapshots := t.Context(), p.(sandbox.Snapshotter)
	_, low := sb.(sandbox.Porter).Port(ctx, 0)
	_, high := sb.(sandbox.Porter).Port(ctx, 65536)
	_, label := sb.(sandbox.Snapshotable).Snapshot(ctx, sandbox.SnapshotRequest{Label: "two\nlines"})
	_, long := sb.(sandbox.Snapshotable).Snapshot(ctx, sandbox.SnapshotRequest{Label: strings.Repeat("x", 257)})
	_, noKey := sb.(sandbox.Forker).Fork(ctx, sandbox.CreateRequest{})
	_, noSnapshot := snapshots.Restore(ctx, "", sandbox.CreateRequest{Key: key})
	for what, err := range map[string]error{
		"port 0": low, "port 65536": high, "two lines": label, "a long label": long, "no key": noKey, "no snapshot": noSnapshot,
		"no time": sb.(sandbox.Keeper).KeepAlive(ctx, 0), "nothing to delete": snapshots.DeleteSnapshot(ctx, ""),
	} {
		if !errors.Is(err, sandbox.Invalid) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if len(r.calls) > 0 {
		t.Errorf("it was asked: %q", r.calls)
	}
}

func TestASnapshotThatIsCanceledIsAwaited(t *testing.T) {
	cases := []struct {
		name string
		end  func(ctx context.Context) (sandbox.Snapshot, error)
		ok   bool
	}{
		{"unmade", func(ctx context.Context) (sandbox.Snapshot, error) { return sandbox.Snapshot{}, ctx.Err() }, false},
		{"made all the same", func(context.Context) (sandbox.Snapshot, error) { return snapOfABox(), nil }, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			ended := false
			sb, _ := far(t, &rich{snapshot: func(ctx context.Context, _ sandbox.SnapshotRequest) (sandbox.Snapshot, error) {
				cancel()
				<-ctx.Done()
				ended = true
				return c.end(ctx)
			}})
			snap, err := sb.(sandbox.Snapshotable).Snapshot(ctx, sandbox.SnapshotRequest{})
			if !ended || c.ok != (err == nil) || c.ok != (snap.ID != "") || !c.ok && !errors.Is(err, sandbox.Canceled) {
				t.Errorf("ended: %v, got %+v, %v", ended, snap, err)
			}
		})
	}
}

func TestAListOfSnapshotsWaitsForOneThatWasGivenUp(t *testing.T) {
	deaf, begun := make(chan struct{}), make(chan struct{})
	r := &rich{snapshot: func(context.Context, sandbox.SnapshotRequest) (sandbox.Snapshot, error) {
		close(begun)
		<-deaf
		return snapOfABox(), nil
	}}
	conn := pipe(t, KindProvider, Main{Provider: func(context.Context, Configure) (sandbox.Provider, error) { return r, nil }})
	conn.Timeouts = Timeouts{Destroy: 20 * time.Millisecond}
	p := remote.NewProvider(conn, r.Capabilities())
	sb, err := p.Create(t.Context(), sandbox.CreateRequest{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := sb.(sandbox.Snapshotable).Snapshot(ctx, sandbox.SnapshotRequest{}); !errors.Is(err, sandbox.Canceled) {
		t.Errorf("snapshot: got %v", err)
	}
	short, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer end()
	if list, err := p.Snapshots(short); !errors.Is(err, sandbox.TimedOut) {
		t.Errorf("while it is still being made: got %v, %v", list, err)
	}
	close(deaf)
	if list, err := p.Snapshots(t.Context()); err != nil || len(list) != 2 {
		t.Errorf("after its end: got %v, %v", list, err)
	}
}

// mute is a provider that doesn't say what its snapshots disrupt.
type mute struct{ rich }

func (m *mute) Capabilities() sandbox.Capabilities { return sandbox.Capabilities{} }

func TestAProviderThatDoesNotSayWhatItDisruptsIsNotConfigured(t *testing.T) {
	conn, err := connect(t, KindProvider, Main{
		Sandbox:  richBox{},
		Provider: func(context.Context, Configure) (sandbox.Provider, error) { return &mute{}, nil },
	})
	if !errors.Is(err, sandbox.Internal) || !strings.Contains(err.Error(), "must have a Disruption") {
		t.Errorf("configure: got %v", err)
	}
	if _, err := remote.NewProvider(conn, sandbox.Capabilities{}).List(t.Context()); !errors.Is(err, sandbox.Invalid) {
		t.Errorf("a call all the same: got %v", err)
	}
}

func TestHeadersOfAPortAreNotPrinted(t *testing.T) {
	sb, _ := far(t, &rich{})
	port, err := sb.(sandbox.Porter).Port(t.Context(), 80)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		if got := fmt.Sprintf(format, port) + fmt.Sprintf(format, &port) + fmt.Sprintf(format, []any{port}); strings.Contains(got, "s3cret") ||
			!strings.Contains(got, "https://x") {
			t.Errorf("%s: %s", format, got)
		}
	}
}
