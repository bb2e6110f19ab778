package sandboxes

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// backend is a provider in memory; its hooks are the faults.
type backend struct {
	mu        sync.Mutex
	boxes     map[string]sandbox.Labels
	made      int
	onCreate  func(ctx context.Context) error // before anything is made
	onResume  func() error
	onDestroy func() error

	can        sandbox.Capabilities
	snapshots  map[string]sandbox.Snapshot
	kept       int // snapshots that were made
	restored   []string
	onSnapshot func(ctx context.Context) error
	onRestore  func() error
	onDelete   func() error
}

func newBackend() *backend {
	return &backend{boxes: map[string]sandbox.Labels{}, snapshots: map[string]sandbox.Snapshot{}}
}

// keeping is a backend with snapshots and forks.
func keeping() *backend {
	b := newBackend()
	b.can = sandbox.Capabilities{Snapshots: true, Forks: true, Disruption: sandbox.DisruptionPause}
	return b
}

func (b *backend) Create(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	if b.onCreate != nil {
		if err := b.onCreate(ctx); err != nil {
			return nil, err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, l := range b.boxes {
		if l.Key == req.Key {
			return box{id, b}, nil
		}
	}
	b.made++
	id := fmt.Sprintf("box-%d", b.made)
	b.boxes[id] = req.Labels
	return box{id, b}, nil
}

func (b *backend) Resume(_ context.Context, req sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	if b.onResume != nil {
		if err := b.onResume(); err != nil {
			return nil, err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.boxes[req.ID]; !ok {
		return nil, sandbox.Errorf(sandbox.Gone, "no sandbox %s", req.ID)
	}
	return box{req.ID, b}, nil
}

func (b *backend) Destroy(_ context.Context, id string) error {
	if b.onDestroy != nil {
		if err := b.onDestroy(); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.boxes, id)
	return nil
}

func (b *backend) List(context.Context) ([]sandbox.Summary, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []sandbox.Summary
	for id, l := range b.boxes {
		all = append(all, sandbox.Summary{ID: id, Labels: l, State: sandbox.StateRunning})
	}
	return all, nil
}

func (b *backend) Capabilities() sandbox.Capabilities { return b.can }

func (b *backend) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.boxes)
}

// box is a sandbox that nobody looks into.
type box struct {
	id string
	of *backend
}

func (b box) ID() string         { return b.id }
func (b box) Info() sandbox.Info { return sandbox.Info{Capabilities: b.of.can} }

func (b box) Snapshot(ctx context.Context, req sandbox.SnapshotRequest) (sandbox.Snapshot, error) {
	if b.of.onSnapshot != nil {
		if err := b.of.onSnapshot(ctx); err != nil {
			return sandbox.Snapshot{}, err
		}
	}
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	b.of.kept++
	s := sandbox.Snapshot{ID: fmt.Sprintf("snap-%d", b.of.kept), Label: req.Label, Labels: req.Labels, Size: -1}
	b.of.snapshots[s.ID] = s
	return s, nil
}

func (b box) Fork(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	return b.of.Create(ctx, req)
}

func (b *backend) Restore(ctx context.Context, snapshot string, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	if b.onRestore != nil {
		if err := b.onRestore(); err != nil {
			return nil, err
		}
	}
	if _, ok := b.snapshots[snapshot]; !ok {
		return nil, sandbox.Errorf(sandbox.NotFound, "no snapshot %s", snapshot)
	}
	b.restored = append(b.restored, snapshot)
	return b.Create(ctx, req)
}

func (b *backend) Snapshots(context.Context) ([]sandbox.Snapshot, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Values(b.snapshots)), nil
}

func (b *backend) DeleteSnapshot(_ context.Context, id string) error {
	if b.onDelete != nil {
		if err := b.onDelete(); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.snapshots, id)
	return nil
}

func (b box) Start(context.Context, sandbox.Command) (sandbox.Process, error) {
	return nil, sandbox.Unsupported
}

func (b box) Kill(context.Context, string, time.Duration) error { return sandbox.Unsupported }

func (b box) Alive(context.Context, string) (sandbox.Liveness, error) {
	return sandbox.AliveUnknown, sandbox.Unsupported
}

func openStore(t *testing.T) *store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// want is the sandbox of one thread.
func want() Want {
	return Want{
		Key: "0123456789abcdef", SetupKey: "s", Type: "memory", Config: []byte("{}"), Spec: []byte("{}"),
		Block: "b", Project: "/p", Thread: "t", Run: "r", Harness: "h",
	}
}

func silent(Phase) {}
