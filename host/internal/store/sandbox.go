package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// SandboxState is what the store knows of a sandbox; only its provider knows whether it is there.
type SandboxState string

const (
	Creating   SandboxState = "creating" // the row is written before Create, so that what a crash leaves can be found
	Ready      SandboxState = "ready"
	Destroying SandboxState = "destroying"
	Gone       SandboxState = "gone" // the provider said so
)

// SandboxRow is one sandbox.
type SandboxRow struct {
	Key      string // identity; the primary key
	SetupKey string
	ID       string          // the provider's; empty while creating
	Type     string          // provider type
	Config   json.RawMessage // provider config, with secret references instead of values
	Spec     json.RawMessage
	Block    string // name of the sandbox block
	Project  string
	Thread   string // thread id, with reuse = "thread"
	Run      string // run that made it
	State    SandboxState
	Created  time.Time // default: now
	Used     time.Time // default: now
}

// HalfMade reports whether its making or removing was begun and isn't finished.
func (b SandboxRow) HalfMade() bool { return b.State == Creating || b.State == Destroying }

const sandboxColumns = `SELECT key, setup_key, id, type, config, spec, block, project, thread, run, state, created, used
	FROM sandboxes `

func scanSandbox(src row) (b SandboxRow, err error) {
	err = src.Scan(&b.Key, &b.SetupKey, &b.ID, &b.Type, raw{&b.Config}, raw{&b.Spec}, &b.Block, &b.Project, &b.Thread, &b.Run,
		&b.State, millis{&b.Created}, millis{&b.Used})
	return b, err
}

// PutSandbox writes a row, in place of one with the same key.
func (s *Store) PutSandbox(ctx context.Context, b SandboxRow) error {
	return s.sandbox(ctx, "put", b.Key, func(t *tx) (int64, error) {
		at := now()
		for _, when := range []*time.Time{&b.Created, &b.Used} {
			if when.IsZero() {
				*when = at
			}
		}
		return t.exec(`INSERT OR REPLACE INTO sandboxes
			(key, setup_key, id, type, config, spec, block, project, thread, run, state, created, used)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			b.Key, b.SetupKey, b.ID, b.Type, blob(b.Config), blob(b.Spec), b.Block, b.Project, b.Thread, b.Run,
			b.State, toMillis(b.Created), toMillis(b.Used))
	})
}

// SetSandboxID records the provider's id. [ErrNotFound] if there is no such row.
func (s *Store) SetSandboxID(ctx context.Context, key, id string) error {
	return s.sandbox(ctx, "set id of", key, func(t *tx) (int64, error) {
		return t.exec(`UPDATE sandboxes SET id = ? WHERE key = ?`, id, key)
	})
}

// SetSandboxState records what became of it. [ErrNotFound] if there is no such row.
func (s *Store) SetSandboxState(ctx context.Context, key string, state SandboxState) error {
	return s.sandbox(ctx, "set state of", key, func(t *tx) (int64, error) {
		return t.exec(`UPDATE sandboxes SET state = ? WHERE key = ?`, state, key)
	})
}

// TouchSandbox sets its time of use to now. [ErrNotFound] if there is no such row.
func (s *Store) TouchSandbox(ctx context.Context, key string) error {
	return s.sandbox(ctx, "touch", key, func(t *tx) (int64, error) {
		return t.exec(`UPDATE sandboxes SET used = ? WHERE key = ?`, toMillis(now()), key)
	})
}

// DeleteSandbox forgets a sandbox, known or not.
func (s *Store) DeleteSandbox(ctx context.Context, key string) error {
	return s.sandbox(ctx, "delete", key, func(t *tx) (int64, error) {
		_, err := t.exec(`DELETE FROM sandboxes WHERE key = ?`, key)
		return 1, err
	})
}

func (s *Store) sandbox(ctx context.Context, verb, key string, fn func(*tx) (int64, error)) error {
	if err := s.do(ctx, func(t *tx) error { return changed(fn(t)) }); err != nil {
		return fmt.Errorf("%s sandbox %s: %w", verb, key, err)
	}
	return nil
}
