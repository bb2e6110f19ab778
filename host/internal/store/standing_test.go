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
			all := got[[]Approval](t)(s.Standing(t.Context(), c.run, c.kind, c.target))
			if c.want == Undecided {
				same(t, "those for "+c.run+", "+c.target, all, []Approval(nil))
				continue
			}
			if len(all) != 1 {
				t.Errorf("run %s, %s %s: %d decisions", c.run, c.kind, c.target, len(all))
				continue
			}
			if a := all[0]; a.Decision != c.want || a.By != "ann" || a.At.IsZero() {
				t.Errorf("run %s, %s %s: %+v", c.run, c.kind, c.target, a)
			}
		}
	},
	"answers that stand are listed and taken back, with those that would stand in their place": func(t *testing.T, open func() *Store) {
		s := open()
		got[Run](t)(s.CreateRun(t.Context(), NewRun{ID: "first", ThreadName: "t", Project: "/p"}))
		epoch := got[int64](t)(s.Claim(t.Context(), "first", me, time.Minute, nil))
		answer := func(run string, epoch int64, id, target, scope string) {
			t.Helper()
			must(t, s.AddApproval(t.Context(), run, epoch, Approval{ID: id, Kind: "command", Target: target}, nil))
			must(t, s.Decide(t.Context(), run, id, Allow, scope, "ann"))
		}
		answer("first", epoch, "a", "once", ScopeOnce)
		answer("first", epoch, "b", "date", ScopeThread)
		answer("first", epoch, "c", "date", ScopeThread)
		answer("first", epoch, "d", "date", ScopeRun)
		must(t, s.AddApproval(t.Context(), "first", epoch, Approval{ID: "e", Kind: "command", Target: "open"}, nil))
		stands := func() (ids []string) {
			for _, a := range got[[]StandingAnswer](t)(open().Standings(t.Context())) {
				if a.Thread != "t" || a.Project != "/p" || a.By != "ann" {
					t.Errorf("%+v", a)
				}
				ids = append(ids, a.ID)
			}
			return ids
		}
		same(t, "those that stand", stands(), []string{"d", "b"})
		must(t, open().Withdraw(t.Context(), "first", "c", "bob"))
		same(t, "those that stand", stands(), []string{"d"})
		gone := got[Approval](t)(s.Approval(t.Context(), "first", "b"))
		if gone.WithdrawnBy != "bob" || gone.Withdrawn.IsZero() || gone.Decision != Allow {
			t.Errorf("the older one: %+v", gone)
		}
		must(t, s.Finish(t.Context(), "first", epoch, nil, Outcome{Status: Completed}))
		same(t, "those that stand when the run has ended", stands(), []string(nil))
		got[Run](t)(s.CreateRun(t.Context(), NewRun{ID: "second", ThreadName: "t", Project: "/p"}))
		same(t, "those that stand for the next run", got[[]Approval](t)(s.Standing(t.Context(), "second", "command", "date")), []Approval(nil))
		for _, id := range []string{"a", "c", "e", "none"} { // for once, withdrawn, undecided, not there
			wantErr(t, s.Withdraw(t.Context(), "first", id, "bob"), ErrNotFound)
		}
		epoch = got[int64](t)(s.Claim(t.Context(), "second", me, time.Minute, nil))
		answer("second", epoch, "f", "date", ScopeThread) // given anew, it counts
		same(t, "those that stand", stands(), []string{"f"})
	},
}
