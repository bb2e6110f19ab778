package store

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// defaultPoll is how often a tail looks for other processes' commits.
const defaultPoll = 20 * time.Millisecond

// Tail yields the run's events after a number, in order, each once, as they are committed by any process. It ends
// after the last event of a run that has ended. An error is the last thing it yields: the context's, [ErrNotFound],
// [ErrClosed], or the file's. poll (default 20 ms) bounds how late another process's events come; those of this
// process come at once.
func (s *Store) Tail(ctx context.Context, run string, after int64, poll time.Duration) iter.Seq2[Event, error] {
	if poll <= 0 {
		poll = defaultPoll
	}
	return func(yield func(Event, error) bool) {
		tick := time.NewTicker(poll)
		defer tick.Stop()
		for {
			// What could have changed is noted before reading, so that a commit in between is seen by the wait.
			wake := s.wake.next()
			version, err := s.DataVersion(ctx)
			if err != nil {
				yield(Event{}, fmt.Errorf("tail run %s: %w", run, err))
				return
			}
			n, ended, err := s.tailOnce(ctx, run, after, func(e Event) bool {
				after = e.Seq
				return yield(e, nil)
			})
			switch {
			case err != nil:
				yield(Event{}, fmt.Errorf("tail run %s: %w", run, err))
				return
			case n < 0 || n == 0 && ended:
				return
			case n > 0:
				continue
			}
			if err := s.await(ctx, wake, tick.C, version); err != nil {
				yield(Event{}, fmt.Errorf("tail run %s: %w", run, err))
				return
			}
		}
	}
}

// tailOnce yields what is there; n is how many, or -1 if the reader has left. ended is read before the events: a run
// that had ended by then gets no more than those.
func (s *Store) tailOnce(ctx context.Context, run string, after int64, yield func(Event) bool) (n int, ended bool, err error) {
	var status Status
	if err := s.read.QueryRowContext(ctx, `SELECT status FROM runs WHERE id = ?`, run).Scan(&status); err != nil {
		return 0, false, s.found("run "+run, err)
	}
	events, err := s.Events(ctx, run, after, eventLimit)
	if err != nil {
		return 0, false, err
	}
	for _, e := range events {
		if !yield(e) {
			return -1, false, nil
		}
	}
	return len(events), status.Terminal(), nil
}

// await returns when something may have been committed since version was read and wake was taken.
func (s *Store) await(ctx context.Context, wake <-chan struct{}, tick <-chan time.Time, version int64) error {
	for {
		select {
		case <-wake:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-s.closed:
			return ErrClosed
		case <-tick:
			current, err := s.DataVersion(ctx)
			if err != nil || current != version {
				return err
			}
		}
	}
}
