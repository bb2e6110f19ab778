package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Claim makes d the run's driver until ttl from now and answers the epoch that proves it. It takes a run that has no
// driver, one whose lease is over, and one whose driver is gone according to gone, which is asked about a driver whose
// lease still runs (nil: never). The first claim turns pending into running.
//
// Errors: [*HeldError] if the run has a driver; [ErrTerminal] if it has ended; [ErrNotFound].
func (s *Store) Claim(ctx context.Context, run string, d Driver, ttl time.Duration, gone func(Driver) bool) (int64, error) {
	epoch, err := s.claim(ctx, run, d, ttl, 0)
	// gone looks at processes: it isn't asked inside the transaction, and its answer counts only for the claim it is
	// about. If another claimer was faster, its claim is looked at in turn.
	var held *HeldError
	for gone != nil && errors.As(err, &held) && gone(held.Driver) {
		epoch, err = s.claim(ctx, run, d, ttl, epoch)
	}
	if err != nil {
		return 0, fmt.Errorf("claim run %s: %w", run, err)
	}
	return epoch, nil
}

// claim takes the run unless it is held by a claim other than epoch lost, whose driver is known to be gone. With a
// HeldError the epoch is the holder's.
func (s *Store) claim(ctx context.Context, run string, d Driver, ttl time.Duration, lost int64) (epoch int64, err error) {
	driver, err := d.column()
	if err != nil {
		return 0, err
	}
	err = s.do(ctx, func(t *tx) error {
		r, err := t.run(run)
		if err != nil {
			return err
		}
		at := now()
		switch {
		case r.Status.Terminal():
			return ErrTerminal
		case r.Driver != (Driver{}) && at.Before(r.LeaseUntil) && r.Epoch != lost:
			epoch = r.Epoch
			return &HeldError{Run: run, Driver: r.Driver, Until: r.LeaseUntil}
		}
		epoch = r.Epoch + 1
		_, err = t.exec(`UPDATE runs SET epoch = ?2, driver = ?3, lease_until = ?4, status = 'running',
			started = iif(started = 0, ?5, started) WHERE id = ?1`,
			run, epoch, driver, toMillis(at.Add(ttl)), toMillis(at))
		return err
	})
	return epoch, err
}

// Renew extends a claim to ttl from now. A claim whose lease is over but which nobody has taken is renewed too.
//
// Errors of this and every fenced call: [ErrFenced], [ErrTerminal], [ErrNotFound].
func (s *Store) Renew(ctx context.Context, run string, epoch int64, ttl time.Duration) error {
	err := s.doSoft(ctx, func(t *tx) error {
		if err := t.fence(run, epoch); err != nil {
			return err
		}
		_, err := t.exec(`UPDATE runs SET lease_until = ? WHERE id = ?`, toMillis(now().Add(ttl)), run)
		return err
	})
	if err != nil {
		return fmt.Errorf("renew claim on run %s: %w", run, err)
	}
	return nil
}

// Release gives a claim back, so that the next claimer needn't wait; the epoch stays. On a run that has ended there is
// nothing left to release.
func (s *Store) Release(ctx context.Context, run string, epoch int64) error {
	err := s.fenced(ctx, "release", run, epoch, func(t *tx) error {
		_, err := t.exec(`UPDATE runs SET driver = '', lease_until = 0 WHERE id = ?`, run)
		return err
	})
	if errors.Is(err, ErrTerminal) {
		return nil
	}
	return err
}

// fenced runs fn in a transaction in which the run is live and the caller's epoch is its epoch.
func (s *Store) fenced(ctx context.Context, verb, run string, epoch int64, fn func(*tx) error) error {
	err := s.do(ctx, func(t *tx) error {
		if err := t.fence(run, epoch); err != nil {
			return err
		}
		return fn(t)
	})
	if err != nil {
		return fmt.Errorf("%s run %s: %w", verb, run, err)
	}
	return nil
}
