package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// SnapshotKind is what a snapshot was made for.
type SnapshotKind string

const (
	SnapshotSetup SnapshotKind = "setup" // after setup: new sandboxes start from it
	SnapshotRun   SnapshotKind = "run"   // after a run: its thread goes on from it
	SnapshotHand  SnapshotKind = "hand"  // a person wanted it
)

// SnapshotRow is one snapshot that a provider keeps.
type SnapshotRow struct {
	ID       string // the provider's; with Type the primary key
	Type     string // provider type
	Kind     SnapshotKind
	SetupKey string
	Key      string          // identity of the sandbox of which it was made
	Source   string          // what the workspace's source was like; empty where nobody looked
	Block    string          // name of the sandbox block
	Thread   string          // thread id
	Label    string          // one line for a person; may be empty
	Sandbox  string          // id of the sandbox of which it was made
	Size     int64           // bytes that its removal would give back; -1 where unknown
	Created  time.Time       // default: now
	Config   json.RawMessage // provider config, with secret references instead of values
	Spec     json.RawMessage // what the sandbox was made with
}

const snapshotColumns = `SELECT id, type, kind, setup_key, key, source, block, thread, label, sandbox, size, created, config, spec
	FROM snapshots `

func scanSnapshot(src row) (b SnapshotRow, err error) {
	err = src.Scan(&b.ID, &b.Type, &b.Kind, &b.SetupKey, &b.Key, &b.Source, &b.Block, &b.Thread, &b.Label, &b.Sandbox, &b.Size,
		millis{&b.Created}, raw{&b.Config}, raw{&b.Spec})
	return b, err
}

// PutSnapshot writes a row, in place of one with the same id and type.
func (s *Store) PutSnapshot(ctx context.Context, b SnapshotRow) error {
	err := s.do(ctx, func(t *tx) error {
		if b.Created.IsZero() {
			b.Created = now()
		}
		_, err := t.exec(`INSERT OR REPLACE INTO snapshots
			(id, type, kind, setup_key, key, source, block, thread, label, sandbox, size, created, config, spec)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			b.ID, b.Type, b.Kind, b.SetupKey, b.Key, b.Source, b.Block, b.Thread, b.Label, b.Sandbox, b.Size,
			toMillis(b.Created), blob(b.Config), blob(b.Spec))
		return err
	})
	if err != nil {
		return fmt.Errorf("put snapshot %s: %w", b.ID, err)
	}
	return nil
}

// DeleteSnapshot forgets a snapshot, known or not.
func (s *Store) DeleteSnapshot(ctx context.Context, typ, id string) error {
	err := s.do(ctx, func(t *tx) error {
		_, err := t.exec(`DELETE FROM snapshots WHERE type = ? AND id = ?`, typ, id)
		return err
	})
	if err != nil {
		return fmt.Errorf("delete snapshot %s: %w", id, err)
	}
	return nil
}

// Snapshots lists all rows, the last made first.
func (s *Store) Snapshots(ctx context.Context) ([]SnapshotRow, error) {
	rows, err := s.read.QueryContext(ctx, snapshotColumns+`ORDER BY created DESC, rowid DESC`)
	return collect(s, "snapshots", rows, err, scanSnapshot)
}

// SnapshotsOf lists those of one setup key and kind, the last made first.
func (s *Store) SnapshotsOf(ctx context.Context, setupKey string, kind SnapshotKind) ([]SnapshotRow, error) {
	rows, err := s.read.QueryContext(ctx, snapshotColumns+`WHERE setup_key = ? AND kind = ? ORDER BY created DESC, rowid DESC`, setupKey, kind)
	return collect(s, "snapshots", rows, err, scanSnapshot)
}

// FindSnapshots answers what a person may mean by ref: those with that id; else those whose id starts with it, the
// name of a digest's algorithm, such as sha256:, left out or not. Nothing found is an empty answer; more than one is for
// the caller to refuse.
func (s *Store) FindSnapshots(ctx context.Context, ref string) ([]SnapshotRow, error) {
	if ref == "" {
		return nil, nil
	}
	for _, where := range []string{
		`WHERE id = ?1`,
		`WHERE substr(id, 1, length(?1)) = ?1 OR substr(id, instr(id, ':') + 1, length(?1)) = ?1`,
	} {
		rows, err := s.read.QueryContext(ctx, snapshotColumns+where+` ORDER BY created DESC, rowid DESC`, ref)
		found, err := collect(s, "snapshots", rows, err, scanSnapshot)
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}
