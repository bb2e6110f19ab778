package store

import (
	"testing"
	"time"
)

var standingChecks = map[string]check{
	"a decision for a run or a thread answers equal requests, and no others": func(t *testing.T, open func() *Store) {
		s := open()
		got[Run](t)(s.CreateRun(t.Context(), NewRun{ID: "first", ThreadName: "t", Project: "/p"}))
		epoch := got[int64](t)(s.Claim(t.Context(), "first", me, time.Minute, nil))
		for _, a := range []Approval{
			{ID: "a", Target: "once", Decision: Allow, Scope: ScopeOnce},
			{ID: "b", Target: "run", Decision: Deny, Scope: ScopeRun},
			{ID: "c", Target: "thread", Decision: Allow, Scope: ScopeThread},
			{ID: "d", Target: "open"},
		} {
			must(t, s.AddApproval(t.Context(), "first", epoch, Approval{ID: a.ID, Kind: "command", Target: a.Target}, nil))
			if a.Decision != Undecided {
				must(t, open().Decide(t.Context(), "first", a.ID, a.Decision, a.Scope, "ann"))
			}
		}
		must(t, s.Finish(t.Context(), "first", epoch, nil, Outcome{Status: Completed}))
		got[Run](t)(s.CreateRun(t.Context(), NewRun{ID: "second", ThreadName: "t", Project: "/p"}))
		got[Run](t)(s.CreateRun(t.Context(), NewRun{ID: "other", ThreadName: "u", Project: "/p"}))
		for _, c := range []struct {
			run, kind, target string
			want              Decision // empty: none
		}{
			{"first", "command", "once", Undecided},
			{"first", "command", "open", Undecided},
			{"first", "command", "run", Deny},
			{"first", "command", "thread", Allow},
			{"first", "file_write", "thread", Undecided},
			{"first", "command", "Thread", Undecided},
			{"second", "command", "run", Undecided},
			{"second", "command", "thread", Allow},
			{"other", "command", "thread", Undecided},
		} {
			a, err := s.Standing(t.Context(), c.run, c.kind, c.target)
			if c.want == Undecided {
				wantErr(t, err, ErrNotFound)
				continue
			}
			must(t, err)
			if a.Decision != c.want || a.By != "ann" || a.At.IsZero() {
				t.Errorf("run %s, %s %s: %+v", c.run, c.kind, c.target, a)
			}
		}
	},
}
