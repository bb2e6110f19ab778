package store

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
)

// hold keeps the writer busy, so that what is called meanwhile shares its next transaction; goOn ends that.
func hold(t *testing.T, s *Store) (goOn func()) {
	t.Helper()
	held, release := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- s.do(t.Context(), func(*tx) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	return func() {
		close(release)
		must(t, <-done)
	}
}

func TestCallsThatWaitTogetherShareOneCommitAndFailAlone(t *testing.T) {
	synctest.Test(t, callsThatWaitTogetherShareOneCommitAndFailAlone)
}

func callsThatWaitTogetherShareOneCommitAndFailAlone(t *testing.T) {
	const calls = 200
	s := openSQLite(t, t.TempDir())
	claimed(t, s, "r")
	boom := errors.New("boom")
	var sizes []int
	size := 0
	commit := s.writer.wake
	s.writer.wake = func() {
		sizes = append(sizes, size)
		size = 0
		commit()
	}
	goOn := hold(t, s)
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() {
			err := s.do(t.Context(), func(t *tx) error {
				size++
				if _, err := s.insertEvents(t, "r", []Event{text("call %d", i)}); err != nil {
					return err
				}
				if i%3 == 0 {
					return boom
				}
				return nil
			})
			if (i%3 == 0) != errors.Is(err, boom) {
				t.Errorf("call %d: %v", i, err)
			}
		})
	}
	synctest.Wait()
	goOn()
	all.Wait()
	seen := map[string]bool{}
	for _, p := range payloads(log(t, s, "r")) {
		seen[p] = true
	}
	for i := range calls {
		if seen[string(text("call %d", i).Payload)] != (i%3 != 0) {
			t.Errorf("call %d: written is %v", i, i%3 == 0)
		}
	}
	biggest := 0
	for _, n := range sizes {
		biggest = max(biggest, n)
	}
	if biggest != batchLimit || len(sizes) > calls/10 {
		t.Errorf("commits of %v calls", sizes)
	}
}

// Each statement ends the transaction or the savepoint under the writer's feet. ROLLBACK is what SQLite does by itself
// when the disk is full.
func TestAFailureOfTheWholeTransactionIsEverybodys(t *testing.T) {
	for _, stmt := range []string{"ROLLBACK", "RELEASE work"} {
		t.Run(stmt, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { wholeTransactionFails(t, stmt) })
		})
	}
}

func wholeTransactionFails(t *testing.T, stmt string) {
	s := openSQLite(t, t.TempDir())
	epoch := claimed(t, s, "r")
	goOn := hold(t, s)
	errs := make(chan error, 4)
	for i := range cap(errs) {
		go func() {
			errs <- s.do(t.Context(), func(t *tx) error {
				_, err := s.insertEvents(t, "r", []Event{{Source: Agent, Payload: bigPayload()}})
				if i == 0 && err == nil {
					_, err = t.exec(stmt)
				}
				return err
			})
		}()
	}
	synctest.Wait()
	goOn()
	for range cap(errs) {
		if err := <-errs; err == nil {
			t.Error("told that it is written")
		}
	}
	same(t, "events", len(log(t, s, "r")), 0)
	same(t, "files", bigFiles(t, s), map[string]int64{})
	same(t, "next", got[int64](t)(s.Append(t.Context(), "r", epoch, texts(1))), int64(1))
}

func TestACallThatWaitsItsTurnCanLeave(t *testing.T) { synctest.Test(t, aCallThatWaitsItsTurnCanLeave) }

func aCallThatWaitsItsTurnCanLeave(t *testing.T) {
	s := openSQLite(t, t.TempDir())
	goOn := hold(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.do(ctx, func(*tx) error { return errors.New("ran") }) }()
	synctest.Wait()
	cancel()
	wantErr(t, <-done, context.Canceled)
	goOn()
}

func TestCloseAnswersEveryCall(t *testing.T) {
	s := openSQLite(t, t.TempDir())
	epoch := claimed(t, s, "r")
	var all sync.WaitGroup
	written := make(chan int64, 1000)
	for range 8 {
		all.Go(func() {
			for {
				last, err := s.Append(t.Context(), "r", epoch, texts(1))
				if err != nil {
					if !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
					return
				}
				select {
				case written <- last:
				default:
				}
			}
		})
	}
	for range 20 {
		<-written
	}
	must(t, s.Close())
	all.Wait()
}
