package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Acquire takes a named lease for ttl if nobody has it, its time is over, or owner has it already. If not, holder is
// who has it.
func (s *Store) Acquire(ctx context.Context, name, owner string, ttl time.Duration) (ok bool, holder string, err error) {
	err = s.doSoft(ctx, func(t *tx) error {
		at := now()
		n, err := t.exec(`INSERT INTO leases (name, owner, until) VALUES (?1, ?2, ?3)
			ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until
			WHERE owner = excluded.owner OR until <= ?4`, name, owner, toMillis(at.Add(ttl)), toMillis(at))
		if err != nil {
			return err
		}
		ok = n > 0
		return t.row(`SELECT owner FROM leases WHERE name = ?`, name).Scan(&holder)
	})
	if err != nil {
		return false, "", fmt.Errorf("acquire lease %s: %w", name, err)
	}
	return ok, holder, nil
}

// RenewLease extends a lease to ttl from now, also one whose time is over if nobody has taken it. [ErrFenced] if it is
// another's, or was and has been released.
func (s *Store) RenewLease(ctx context.Context, name, owner string, ttl time.Duration) error {
	err := s.doSoft(ctx, func(t *tx) error {
		n, err := t.exec(`UPDATE leases SET until = ? WHERE name = ? AND owner = ?`, toMillis(now().Add(ttl)), name, owner)
		if err == nil && n == 0 {
			return ErrFenced
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("renew lease %s: %w", name, err)
	}
	return nil
}

// ReleaseLease gives a lease back. One that owner doesn't have is left alone.
func (s *Store) ReleaseLease(ctx context.Context, name, owner string) error {
	err := s.doSoft(ctx, func(t *tx) error {
		_, err := t.exec(`DELETE FROM leases WHERE name = ? AND owner = ?`, name, owner)
		return err
	})
	if err != nil {
		return fmt.Errorf("release lease %s: %w", name, err)
	}
	return nil
}

// LeaseHolder says who has a lease now; empty if nobody.
func (s *Store) LeaseHolder(ctx context.Context, name string) (string, error) {
	var owner string
	err := s.read.QueryRowContext(ctx, `SELECT owner FROM leases WHERE name = ? AND until > ?`, name, toMillis(now())).Scan(&owner)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return owner, s.found("lease "+name, err)
}
