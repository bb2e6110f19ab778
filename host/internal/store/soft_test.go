package store

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// synced tells which of the commits that do makes wait for the disk. It asks
// SQLite itself.
func synced(t *testing.T, s *Store, do func()) (all []bool) {
	t.Helper()
	const full = 2
	commit := s.writer.wake
	s.writer.wake = func() {
		var level int
		if err := s.writer.tx.conn.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&level); err != nil {
			t.Error(err)
		}
		all = append(all, level == full)
		commit()
	}
	do()
	must(t, s.do(t.Context(), func(*tx) error { return nil })) // the last wake is over
	s.writer.wake = commit
	return all[:len(all)-1]
}

func TestOnlyWhatNamesAProcessMayEndWithTheMachine(t *testing.T) {
	s := openSQLite(t, t.TempDir())
	epoch := claimed(t, s, "r")
	must(t, s.PutSandbox(t.Context(), SandboxRow{Key: "k", Type: "x", State: Ready}))
	for _, c := range []struct {
		name string
		do   func() error
		want bool
	}{
		{"a lease is taken", func() error { _, _, err := s.Acquire(t.Context(), "l", "o", time.Minute); return err }, false},
		{"a sandbox is noted", func() error { return s.PutSandbox(t.Context(), SandboxRow{Key: "k2", Type: "x", State: Creating}) }, true},
		{"a lease is renewed", func() error { return s.RenewLease(t.Context(), "l", "o", time.Minute) }, false},
		{"a claim is renewed", func() error { return s.Renew(t.Context(), "r", epoch, time.Minute) }, false},
		{"an event is appended", func() error {
			_, err := s.Append(t.Context(), "r", epoch, []Event{text("x")})
			return err
		}, true},
		{"a lease is given back", func() error { return s.ReleaseLease(t.Context(), "l", "o") }, false},
		{"a use begins, which writes the sandbox's row", func() error { return s.BeginUse(t.Context(), "k", "u", "o", time.Minute) }, true},
		{"a use ends", func() error { return s.EndUse(t.Context(), "k", "u", "o") }, false},
		{"a claim is given back", func() error { return s.Release(t.Context(), "r", epoch) }, true},
	} {
		got := synced(t, s, func() { must(t, c.do()) })
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: synced %v, want %v", c.name, got, c.want)
		}
	}
}

func TestACommitThatIsSharedIsSynced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openSQLite(t, t.TempDir())
		epoch := claimed(t, s, "r")
		got := synced(t, s, func() {
			goOn := hold(t, s)
			var all sync.WaitGroup
			all.Go(func() {
				if ok, _, err := s.Acquire(t.Context(), "l", "o", time.Minute); !ok || err != nil {
					t.Errorf("lease: %t, %v", ok, err)
				}
			})
			all.Go(func() {
				if _, err := s.Append(t.Context(), "r", epoch, []Event{text("x")}); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
			goOn()
			all.Wait()
		})
		if len(got) != 2 || !got[1] {
			t.Errorf("synced %v, want what was held and one more", got)
		}
	})
}
