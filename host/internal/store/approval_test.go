package store

import (
	"fmt"
	"testing"
	"time"
)

func decided(a Approval) []Event {
	return []Event{{Source: Host, Payload: []byte(`{"decision":"` + string(a.Decision) + `","by":"` + a.By + `"}`)}}
}

var approvalChecks = map[string]check{
	"of many who answer at once one counts": func(t *testing.T, open func() *Store) {
		s := open()
		got[Run](t)(s.CreateRun(t.Context(), NewRun{ID: "r", ThreadName: "t", Project: "/p"}))
		epoch := got[int64](t)(s.Claim(t.Context(), "r", me, time.Minute, nil))
		must(t, s.AddApproval(t.Context(), "r", epoch, Approval{ID: "a"}, nil))
		const people = 8
		answers := make(chan error, people)
		for i := range people {
			elsewhere := open()
			go func() {
				answers <- elsewhere.Decide(t.Context(), "r", "a", []Decision{Allow, Deny}[i%2], ScopeOnce, fmt.Sprint("person ", i))
			}()
		}
		counted := 0
		for range people {
			if err := <-answers; err == nil {
				counted++
			} else {
				wantErr(t, err, ErrDecided)
			}
		}
		if a := got[Approval](t)(s.Approval(t.Context(), "r", "a")); counted != 1 || a.By == "" || a.At.IsZero() {
			t.Errorf("%d answers count; %+v", counted, a)
		}
	},
	"an approval is asked, decided elsewhere, and taken by the driver": func(t *testing.T, open func() *Store) {
		s, elsewhere := open(), open()
		epoch := claimed(t, s, "r")
		ask := Approval{
			ID: "a1", Kind: "command", Target: "rm x", Title: "remove x", Rule: "ask rm *", Options: []byte(`[1]`),
			Expires: now().Add(time.Hour),
		}
		must(t, s.AddApproval(t.Context(), "r", epoch, ask, []Event{{Source: Host, Payload: []byte(`{"asked":1}`)}}))
		same(t, "waiting on", got[Run](t)(s.Run(t.Context(), "r")).WaitingOn, "a1")
		waiting := got[[]Approval](t)(elsewhere.PendingApprovals(t.Context(), "r"))
		ask.Run, ask.Asked = "r", waiting[0].Asked
		same(t, "pending", waiting, []Approval{ask})

		must(t, elsewhere.Decide(t.Context(), "r", "a1", Allow, "once", "ann"))
		same(t, "pending", len(got[[]Approval](t)(s.PendingApprovals(t.Context(), "r"))), 0)
		a := got[Approval](t)(s.CloseApproval(t.Context(), "r", epoch, "a1", Deny, "", "timeout", decided))
		if a.Decision != Allow || a.Scope != "once" || a.By != "ann" || a.At.IsZero() || a.Closed.IsZero() {
			t.Fatalf("approval is %+v", a)
		}
		same(t, "as read", got[Approval](t)(s.Approval(t.Context(), "r", "a1")), a)
		same(t, "waiting on", got[Run](t)(s.Run(t.Context(), "r")).WaitingOn, "")
		same(t, "log", payloads(log(t, s, "r")), []string{`{"asked":1}`, `{"decision":"allow","by":"ann"}`})
	},
	"the second decision is refused": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		must(t, s.AddApproval(t.Context(), "r", epoch, Approval{ID: "a"}, nil))
		must(t, s.Decide(t.Context(), "r", "a", Deny, "", "ann"))
		wantErr(t, open().Decide(t.Context(), "r", "a", Allow, "", "bob"), ErrDecided)
		same(t, "by", got[Approval](t)(s.Approval(t.Context(), "r", "a")).By, "ann")
	},
	"an unknown approval and an unknown decision are refused": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		wantErr(t, s.Decide(t.Context(), "r", "a", Allow, "", ""), ErrNotFound)
		_, err := s.CloseApproval(t.Context(), "r", epoch, "a", Deny, "", "", decided)
		wantErr(t, err, ErrNotFound)
		must(t, s.AddApproval(t.Context(), "r", epoch, Approval{ID: "a"}, nil))
		for _, d := range []Decision{"", "maybe"} {
			if err := s.Decide(t.Context(), "r", "a", d, "", ""); err == nil {
				t.Errorf("decided %q", d)
			}
		}
		wantErr(t, s.AddApproval(t.Context(), "r", epoch, Approval{ID: "a"}, texts(1)), ErrExists)
		same(t, "log", len(log(t, s, "r")), 0)
	},
	"an expired approval is denied by the driver and by nobody else": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		must(t, s.AddApproval(t.Context(), "r", epoch, Approval{ID: "a", Expires: now().Add(-time.Millisecond)}, nil))
		wantErr(t, s.Decide(t.Context(), "r", "a", Allow, "", "ann"), ErrExpired)
		same(t, "pending", len(got[[]Approval](t)(s.PendingApprovals(t.Context(), "r"))), 1)
		got[Approval](t)(s.CloseApproval(t.Context(), "r", epoch, "a", Deny, "", "timeout", decided))
		same(t, "log", payloads(log(t, s, "r")), []string{`{"decision":"deny","by":"timeout"}`})
		_, err := s.CloseApproval(t.Context(), "r", epoch, "a", Deny, "", "timeout", decided)
		wantErr(t, err, ErrDecided)
		wantErr(t, s.Decide(t.Context(), "r", "a", Allow, "", "ann"), ErrDecided)
		same(t, "log", len(log(t, s, "r")), 1)
	},
	"of two open approvals the run waits on the one that is left": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		must(t, s.AddApproval(t.Context(), "r", epoch, Approval{ID: "a"}, nil))
		must(t, s.AddApproval(t.Context(), "r", epoch, Approval{ID: "b"}, nil))
		for _, step := range []struct{ close, left string }{{"b", "a"}, {"a", ""}} {
			got[Approval](t)(s.CloseApproval(t.Context(), "r", epoch, step.close, Allow, "", "", nil))
			same(t, "waiting on", got[Run](t)(s.Run(t.Context(), "r")).WaitingOn, step.left)
		}
	},
	"a close whose events can't be written leaves the approval open": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		must(t, s.AddApproval(t.Context(), "r", epoch, Approval{ID: "a"}, nil))
		bad := func(Approval) []Event { return []Event{{Source: "nobody"}} }
		if _, err := s.CloseApproval(t.Context(), "r", epoch, "a", Deny, "", "", bad); err == nil {
			t.Fatal("closed")
		}
		same(t, "pending", len(got[[]Approval](t)(s.PendingApprovals(t.Context(), "r"))), 1)
		same(t, "waiting on", got[Run](t)(s.Run(t.Context(), "r")).WaitingOn, "a")
	},
}
