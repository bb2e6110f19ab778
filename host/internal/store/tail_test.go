package store

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// tailed collects what a tail yields, in the background.
func tailed(t *testing.T, s *Store, after int64) <-chan []Event {
	t.Helper()
	done := make(chan []Event, 1)
	go func() {
		var events []Event
		for e, err := range s.Tail(t.Context(), "r", after, 5*time.Millisecond) {
			if err != nil {
				t.Error(err)
				break
			}
			events = append(events, e)
		}
		done <- events
	}()
	return done
}

var tailChecks = map[string]check{
	"a tail yields each event once, from any position, and ends with the run": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		got[int64](t)(s.Append(t.Context(), "r", epoch, texts(700)))
		whole, rest, elsewhere := tailed(t, s, 0), tailed(t, s, 650), tailed(t, open(), 0)
		for range 300 {
			got[int64](t)(s.Append(t.Context(), "r", epoch, texts(1)))
		}
		must(t, s.Finish(t.Context(), "r", epoch, texts(2), Outcome{Status: Completed}))
		for name, tc := range map[string]struct {
			tail <-chan []Event
			from int64
		}{"whole": {whole, 1}, "rest": {rest, 651}, "in another store": {elsewhere, 1}} {
			events := <-tc.tail
			gapless(t, events, tc.from)
			same(t, name, len(events), int(1002-tc.from+1))
		}
	},
	"a tail of a run that has ended ends at once": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		must(t, s.Finish(t.Context(), "r", epoch, texts(1100), Outcome{Status: Failed}))
		same(t, "events", len(<-tailed(t, s, 0)), 1100)
		same(t, "events after the last", len(<-tailed(t, s, 1100)), 0)
	},
	"a tail of an abandoned run ends": func(t *testing.T, open func() *Store) {
		s := open()
		pending(t, s, "r")
		tail := tailed(t, s, 0)
		must(t, open().AbandonPending(t.Context(), "r", Outcome{Status: Failed}, texts(1)))
		same(t, "events", len(<-tail), 1)
	},
	"a tail ends with the error of its context, its store, or an unknown run": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		got[int64](t)(s.Append(t.Context(), "r", epoch, texts(1)))
		last := func(ctx context.Context, s *Store, run string, seen func()) (last error) {
			for _, err := range s.Tail(ctx, run, 0, time.Hour) {
				if last = err; err == nil {
					seen()
				}
			}
			return last
		}
		ctx, cancel := context.WithCancel(t.Context())
		wantErr(t, last(ctx, s, "r", cancel), context.Canceled)
		wantErr(t, last(t.Context(), s, "unknown", func() {}), ErrNotFound)
		closing := open()
		err := last(t.Context(), closing, "r", func() { must(t, closing.Close()) })
		wantErr(t, err, ErrClosed)
	},
	"a reader may leave a tail": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		got[int64](t)(s.Append(t.Context(), "r", epoch, texts(3)))
		for e, err := range s.Tail(t.Context(), "r", 0, 0) {
			must(t, err)
			if e.Seq == 2 {
				break
			}
		}
	},
	"the data version changes with another's commit and only then": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		first := got[int64](t)(s.DataVersion(t.Context()))
		same(t, "without a commit", got[int64](t)(s.DataVersion(t.Context())), first)
		_, err := s.Append(t.Context(), "r", epoch+1, texts(1))
		wantErr(t, err, ErrFenced)
		for _, store := range []*Store{s, open()} {
			got[int64](t)(store.Append(t.Context(), "r", epoch, texts(1)))
			next := got[int64](t)(s.DataVersion(t.Context()))
			if next == first {
				t.Fatal("not seen")
			}
			first = next
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.DataVersion(ctx); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		// Its connection was given up; the next one's own number must not be taken for the last.
		if next := got[int64](t)(s.DataVersion(t.Context())); next == first {
			t.Fatal("a new connection gave the old number")
		}
	},
}

func TestATailSeesItsOwnProcessesEventsWithoutPolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openSQLite(t, t.TempDir())
		epoch := claimed(t, s, "r")
		seen := make(chan time.Time, 1)
		go func() {
			for _, err := range s.Tail(t.Context(), "r", 0, time.Hour) {
				if err == nil {
					seen <- time.Now()
				}
			}
		}()
		<-time.After(10 * time.Second) // past the first quick look
		appended := time.Now()
		got[int64](t)(s.Append(t.Context(), "r", epoch, texts(1)))
		same(t, "seen after", (<-seen).Sub(appended), time.Duration(0))
		must(t, s.Close())
	})
}
