package store

import (
	"errors"
	"testing"
	"time"
)

var claimChecks = map[string]check{
	"the first claim starts the run": func(t *testing.T, open func() *Store) {
		s := open()
		pending(t, s, "r")
		same(t, "epoch", got[int64](t)(s.Claim(t.Context(), "r", me, time.Minute, nil)), int64(1))
		r := got[Run](t)(s.Run(t.Context(), "r"))
		if r.Status != Running || r.Started.IsZero() || r.Driver != me || !r.LeaseUntil.After(now().Add(50*time.Second)) {
			t.Fatalf("run is %+v", r)
		}
	},
	"a held run is refused and says who holds it until when": func(t *testing.T, open func() *Store) {
		s := open()
		claimed(t, s, "r")
		_, err := open().Claim(t.Context(), "r", other, time.Minute, func(Driver) bool { return false })
		var held *HeldError
		if !errors.As(err, &held) || held.Driver != me || held.Until.IsZero() {
			t.Fatalf("error is %v", err)
		}
	},
	"a run whose lease is over is taken, and the start time stays": func(t *testing.T, open func() *Store) {
		s := open()
		pending(t, s, "r")
		got[int64](t)(s.Claim(t.Context(), "r", me, -time.Millisecond, nil))
		started := got[Run](t)(s.Run(t.Context(), "r")).Started
		same(t, "epoch", got[int64](t)(s.Claim(t.Context(), "r", other, time.Minute, nil)), int64(2))
		r := got[Run](t)(s.Run(t.Context(), "r"))
		if r.Driver != other || !r.Started.Equal(started) {
			t.Fatalf("run is %+v", r)
		}
	},
	"a run whose driver is gone is taken at once": func(t *testing.T, open func() *Store) {
		s := open()
		claimed(t, s, "r")
		var asked Driver
		gone := func(d Driver) bool { asked = d; return d == me }
		same(t, "epoch", got[int64](t)(s.Claim(t.Context(), "r", other, time.Minute, gone)), int64(2))
		same(t, "asked about", asked, me)
	},
	"a driver that is gone frees only its own claim": func(t *testing.T, open func() *Store) {
		s := open()
		claimed(t, s, "r")
		third := Driver{BootID: "boot", PID: 3}
		// While this claimer looks at the dead driver, another takes the run.
		gone := func(d Driver) bool {
			if d == me {
				got[int64](t)(s.Claim(t.Context(), "r", other, time.Minute, func(Driver) bool { return true }))
			}
			return d == me
		}
		_, err := s.Claim(t.Context(), "r", third, time.Minute, gone)
		var held *HeldError
		if !errors.As(err, &held) || held.Driver != other {
			t.Fatalf("error is %v", err)
		}
	},
	"a released run is taken at once": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		must(t, s.Release(t.Context(), "r", epoch))
		same(t, "epoch", got[int64](t)(s.Claim(t.Context(), "r", other, time.Minute, nil)), epoch+1)
		wantErr(t, s.Release(t.Context(), "r", epoch), ErrFenced)
	},
	"a renewed claim holds": func(t *testing.T, open func() *Store) {
		s := open()
		pending(t, s, "r")
		epoch := got[int64](t)(s.Claim(t.Context(), "r", me, -time.Millisecond, nil))
		must(t, s.Renew(t.Context(), "r", epoch, time.Minute))
		_, err := s.Claim(t.Context(), "r", other, time.Minute, nil)
		var held *HeldError
		if !errors.As(err, &held) {
			t.Fatalf("error is %v", err)
		}
	},
	"a run that has ended can't be claimed": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		must(t, s.Finish(t.Context(), "r", epoch, nil, Outcome{Status: Completed}))
		_, err := s.Claim(t.Context(), "r", other, time.Minute, func(Driver) bool { return true })
		wantErr(t, err, ErrTerminal)
		must(t, s.Release(t.Context(), "r", epoch))
	},
	"of eight claimers exactly one wins": func(t *testing.T, open func() *Store) {
		stores := []*Store{open(), open()}
		pending(t, stores[0], "r")
		errs := make(chan error, 8)
		for i := range cap(errs) {
			go func() {
				_, err := stores[i%2].Claim(t.Context(), "r", Driver{PID: i + 1}, time.Minute, nil)
				errs <- err
			}()
		}
		won := 0
		for range cap(errs) {
			err := <-errs
			var held *HeldError
			if err == nil {
				won++
			} else if !errors.As(err, &held) {
				t.Error(err)
			}
		}
		if won != 1 {
			t.Fatalf("%d won", won)
		}
		same(t, "epoch", got[Run](t)(stores[0].Run(t.Context(), "r")).Epoch, int64(1))
	},
}

// fencedCalls are all that need a claim.
var fencedCalls = map[string]func(t *testing.T, s *Store, epoch int64) error{
	"append": func(t *testing.T, s *Store, epoch int64) error {
		_, err := s.Append(t.Context(), "r", epoch, texts(1))
		return err
	},
	"finish": func(t *testing.T, s *Store, epoch int64) error {
		return s.Finish(t.Context(), "r", epoch, texts(1), Outcome{Status: Failed, Reason: "late"})
	},
	"update": func(t *testing.T, s *Store, epoch int64) error {
		proc := "late"
		return s.UpdateRun(t.Context(), "r", epoch, RunUpdate{Proc: &proc})
	},
	"renew": func(t *testing.T, s *Store, epoch int64) error {
		return s.Renew(t.Context(), "r", epoch, time.Hour)
	},
	"add approval": func(t *testing.T, s *Store, epoch int64) error {
		return s.AddApproval(t.Context(), "r", epoch, Approval{ID: "late"}, texts(1))
	},
	"close approval": func(t *testing.T, s *Store, epoch int64) error {
		_, err := s.CloseApproval(t.Context(), "r", epoch, "open", Deny, "", "timeout", nil)
		return err
	},
}

var fenceChecks = map[string]check{
	"a driver that lost its claim can do nothing, and changes nothing": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		must(t, s.AddApproval(t.Context(), "r", epoch, Approval{ID: "open"}, nil))
		taken := func(Driver) bool { return true }
		got[int64](t)(open().Claim(t.Context(), "r", other, time.Minute, taken))
		unchanged(t, s, func(name string, call func(*testing.T, *Store, int64) error) {
			wantErr(t, call(t, s, epoch), ErrFenced)
		})
		wantErr(t, s.Release(t.Context(), "r", epoch), ErrFenced)
	},
	"nobody can do anything with a run that nobody has claimed": func(t *testing.T, open func() *Store) {
		s := open()
		pending(t, s, "r")
		unchanged(t, s, func(name string, call func(*testing.T, *Store, int64) error) {
			wantErr(t, call(t, s, 0), ErrFenced)
			wantErr(t, call(t, s, 1), ErrFenced)
		})
	},
	"what has ended is never rewritten": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		must(t, s.AddApproval(t.Context(), "r", epoch, Approval{ID: "open"}, nil))
		must(t, s.Finish(t.Context(), "r", epoch, texts(2), Outcome{Status: Completed, Message: "done"}))
		unchanged(t, s, func(name string, call func(*testing.T, *Store, int64) error) {
			wantErr(t, call(t, s, epoch), ErrTerminal)
			wantErr(t, call(t, s, epoch-1), ErrFenced)
		})
		wantErr(t, s.AbandonPending(t.Context(), "r", Outcome{Status: Failed}, texts(1)), ErrTerminal)
		wantErr(t, s.Decide(t.Context(), "r", "open", Allow, "", "me"), ErrTerminal)
	},
}

// unchanged calls try with each fenced call and checks that row, log and approvals stay as they were.
func unchanged(t *testing.T, s *Store, try func(name string, call func(*testing.T, *Store, int64) error)) {
	t.Helper()
	look := func() []any {
		return []any{
			got[Run](t)(s.Run(t.Context(), "r")), log(t, s, "r"), got[[]Approval](t)(s.Approvals(t.Context(), "r")),
		}
	}
	before := look()
	for name, call := range fencedCalls {
		try(name, call)
		same(t, "after "+name, look(), before)
	}
}
