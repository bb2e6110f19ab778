package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// NotReadyError says that a sandbox can't be used, since it is being made or removed, or is gone.
type NotReadyError struct{ State SandboxState }

func (e *NotReadyError) Error() string { return "it is " + string(e.State) }

// useName is the lease by which a use of a sandbox is noted.
func useName(key, use string) string { return "use/" + key + "/" + use }

// BeginUse notes that owner works in a sandbox outside of a run, for ttl from now. Use names that one use. [ErrNotFound]
// if there is no such row, [*NotReadyError] if its state isn't ready: whoever removes it has said so first.
func (s *Store) BeginUse(ctx context.Context, key, use, owner string, ttl time.Duration) error {
	return s.sandbox(ctx, "use", key, func(t *tx) (int64, error) {
		var state SandboxState
		if err := t.row(`SELECT state FROM sandboxes WHERE key = ?`, key).Scan(&state); err != nil {
			return 0, s.found("sandbox "+key, err)
		}
		if state != Ready {
			return 0, &NotReadyError{state}
		}
		n, err := t.exec(`UPDATE sandboxes SET used = ? WHERE key = ?`, toMillis(now()), key)
		if err != nil {
			return n, err
		}
		return t.exec(`INSERT INTO leases (name, owner, until) VALUES (?, ?, ?)`, useName(key, use), owner, toMillis(now().Add(ttl)))
	})
}

// RenewUse extends a use, and says that the sandbox is used now.
func (s *Store) RenewUse(ctx context.Context, key, use, owner string, ttl time.Duration) error {
	return errors.Join(s.RenewLease(ctx, useName(key, use), owner, ttl), s.TouchSandbox(ctx, key))
}

// EndUse ends a use, also one of somebody else who is known to be gone.
func (s *Store) EndUse(ctx context.Context, key, use, owner string) error {
	return s.ReleaseLease(ctx, useName(key, use), owner)
}

// Use is somebody's work in a sandbox.
type Use struct{ Name, Owner string }

// BeginDestroy sets a sandbox's state to destroying, unless it is in use. Then nothing is changed, and its uses are
// returned. [ErrNotFound] if there is no such row.
func (s *Store) BeginDestroy(ctx context.Context, key string) (uses []Use, err error) {
	err = s.sandbox(ctx, "begin to destroy", key, func(t *tx) (int64, error) {
		uses, err = t.uses(key)
		if err != nil || len(uses) > 0 {
			return 1, err
		}
		return t.exec(`UPDATE sandboxes SET state = ? WHERE key = ?`, Destroying, key)
	})
	return uses, err
}

// Uses lists the uses of a sandbox that haven't run out.
func (s *Store) Uses(ctx context.Context, key string) ([]Use, error) {
	prefix := useName(key, "")
	rows, err := s.read.QueryContext(ctx, `SELECT substr(name, length(?1) + 1), owner FROM leases
		WHERE substr(name, 1, length(?1)) = ?1 AND until > ?2`, prefix, toMillis(now()))
	return collect(s, "uses of sandbox "+key, rows, err, func(src row) (u Use, err error) {
		err = src.Scan(&u.Name, &u.Owner)
		return u, err
	})
}

func (t *tx) uses(key string) (uses []Use, err error) {
	prefix := useName(key, "")
	var list []byte
	err = t.row(`SELECT json_group_array(json_object('Name', substr(name, length(?1) + 1), 'Owner', owner)) FROM leases
		WHERE substr(name, 1, length(?1)) = ?1 AND until > ?2`, prefix, toMillis(now())).Scan(&list)
	if err == nil {
		err = json.Unmarshal(list, &uses)
	}
	if err != nil {
		return nil, fmt.Errorf("look for uses: %w", err)
	}
	return uses, nil
}
