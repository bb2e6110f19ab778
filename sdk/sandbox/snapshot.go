package sandbox

import (
	"context"
	"time"
)

// Snapshotable is a sandbox whose files can be kept.
type Snapshotable interface {
	// Snapshot keeps the files as they are, written out to the last one, but for
	// those of the state folder: journals, prompts and secrets are in no
	// snapshot. It outlives the sandbox. There is one at a time of each sandbox;
	// a second call waits. What it does to the processes meanwhile is
	// Capabilities.Disruption. What was made before a failure is unmade, as it
	// is when ctx ends.
	Snapshot(ctx context.Context, req SnapshotRequest) (Snapshot, error)
}

// SnapshotRequest asks for a snapshot.
type SnapshotRequest struct {
	Label    string         // one line for a person; may be empty
	Labels   Labels         // who makes it, and of what
	Progress func(Progress) // called while it works; nil: not wanted
}

// Snapshot is one that exists.
type Snapshot struct {
	ID      string    // opaque, 1 to 256 printable bytes
	Label   string    // as given
	Labels  Labels    // Owner is OwnerUnknown where it can't be read
	Created time.Time // zero where unknown
	Size    int64     // bytes that its removal would give back; -1 where unknown
}

// Snapshotter is a provider that makes sandboxes of snapshots. Ask for it with
// AsProvider[Snapshotter](p).
type Snapshotter interface {
	// Restore is Create with the files of a snapshot, also in what it does about a
	// Key that there is already and about a ctx that ends. A snapshot that doesn't
	// exist is NotFound.
	Restore(ctx context.Context, snapshot string, req CreateRequest) (Sandbox, error)

	// Snapshots tells all that this owner made.
	Snapshots(ctx context.Context) ([]Snapshot, error)

	// DeleteSnapshot removes one; what is gone already is no error. One that a
	// sandbox was made of is Conflict where the backend can't remove it yet.
	DeleteSnapshot(ctx context.Context, id string) error
}

// Forker is a sandbox that can be copied.
type Forker interface {
	// Fork is Create with the files that this sandbox has now, but for those of
	// the state folder, also in what it does about a Key that there is already and
	// about a ctx that ends. The copy shares nothing with it: files, processes and
	// state are its own. What it does to the processes of this one meanwhile is
	// Capabilities.Disruption.
	Fork(ctx context.Context, req CreateRequest) (Sandbox, error)
}

// Disruption is what a snapshot or fork does to the processes of its source.
type Disruption string

// The kinds of disruption.
const (
	DisruptionNone  Disruption = "none"  // they go on
	DisruptionPause Disruption = "pause" // they stand still meanwhile
	DisruptionStop  Disruption = "stop"  // they are ended
)
