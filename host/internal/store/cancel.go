package store

import (
	"context"
	"errors"
	"fmt"
)

// RequestCancel records that the run is to be canceled; its driver sees it by [Store.CancelRequested]. The first
// request's time is kept. Anyone may call it. ended says that the run had ended already and nothing was recorded.
func (s *Store) RequestCancel(ctx context.Context, run string) (ended bool, err error) {
	err = s.unfenced(ctx, "cancel", run, func(t *tx) error {
		_, err := t.exec(`UPDATE runs SET cancel_requested = ? WHERE id = ? AND cancel_requested = 0`, toMillis(now()), run)
		return err
	})
	if errors.Is(err, ErrTerminal) {
		return true, nil
	}
	return false, err
}

// CancelRequested says whether somebody wants the run canceled.
func (s *Store) CancelRequested(ctx context.Context, run string) (bool, error) {
	var requested bool
	err := s.read.QueryRowContext(ctx, `SELECT cancel_requested <> 0 FROM runs WHERE id = ?`, run).Scan(&requested)
	return requested, s.found("run "+run, err)
}

// unfenced runs fn in a transaction in which the run hasn't ended.
func (s *Store) unfenced(ctx context.Context, verb, run string, fn func(*tx) error) error {
	err := s.do(ctx, func(t *tx) error {
		if err := t.live(run); err != nil {
			return err
		}
		return fn(t)
	})
	if err != nil {
		return fmt.Errorf("%s run %s: %w", verb, run, err)
	}
	return nil
}
