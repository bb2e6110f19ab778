package store

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// How often a tail looks for other processes' commits. Events come in bursts: shortly after one a look every few
// milliseconds (at some 20 microseconds each) keeps a stream fluent, and a run that thinks for an hour costs little.
const (
	defaultPoll = 20 * time.Millisecond
	burstPoll   = 3 * time.Millisecond
	burst       = time.Second
)

// Tail yields the run's events after a number, in order, each once, as they are committed by any process. It ends
// after the last event of a run that has ended. An error is the last thing it yields: the context's, [ErrNotFound],
// [ErrClosed], or the file's. poll (default 20 ms) bounds how late another process's events come, within a second
// of the last event 3 ms do; those of this process come at once.
func (s *Store) Tail(ctx context.Context, run string, after int64, poll time.Duration) iter.Seq2[Event, error] {
	if poll <= 0 {
		poll = defaultPoll
	}
	return func(yield func(Event, error) bool) {
		var news time.Time
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
				news = time.Now()
				continue
			}
			if err := s.await(ctx, wake, version, news, poll); err != nil {
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
func (s *Store) await(ctx context.Context, wake <-chan struct{}, version int64, news time.Time, poll time.Duration) error {
	timer := time.NewTimer(min(poll, burstPoll))
	defer timer.Stop()
	for {
		select {
		case <-wake:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-s.closed:
			return ErrClosed
		case <-timer.C:
			current, err := s.DataVersion(ctx)
			if err != nil || current != version {
				return err
			}
		}
		if time.Since(news) < burst {
			timer.Reset(min(poll, burstPoll))
		} else {
			timer.Reset(poll)
		}
	}
}
