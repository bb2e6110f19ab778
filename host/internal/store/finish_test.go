package store

import (
	"encoding/json"
	"testing"
	"time"
)

var finishChecks = map[string]check{
	"a run ends with its last events and its outcome": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		exit, cost := 3, 0.25
		must(t, s.AddApproval(t.Context(), "r", epoch, Approval{ID: "a"}, nil))
		must(t, s.Finish(t.Context(), "r", epoch, texts(2), Outcome{
			Status: Failed, Exit: &exit, Reason: "crashed", Message: "why", Usage: []byte(`{"in":1}`), Cost: &cost,
		}))
		r := got[Run](t)(open().Run(t.Context(), "r"))
		want := r
		want.Status, want.Exit, want.Cost, want.Reason, want.Message, want.Usage = Failed, &exit, &cost, "crashed", "why", []byte(`{"in":1}`)
		want.LeaseUntil, want.WaitingOn, want.Driver = time.Time{}, "", me
		same(t, "run", r, want)
		if r.Finished.IsZero() || r.Finished.Before(r.Started) {
			t.Errorf("finished at %v", r.Finished)
		}
		same(t, "events", len(log(t, s, "r")), 2)
	},
	"what isn't known of an end stays unknown": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		must(t, s.Finish(t.Context(), "r", epoch, nil, Outcome{Status: Canceled}))
		r := got[Run](t)(s.Run(t.Context(), "r"))
		if r.Status != Canceled || r.Exit != nil || r.Cost != nil || r.Usage != nil {
			t.Fatalf("run is %+v", r)
		}
	},
	"a status that isn't an end is refused": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		for _, status := range []Status{"", Pending, Running, "done"} {
			if err := s.Finish(t.Context(), "r", epoch, texts(1), Outcome{Status: status}); err == nil {
				t.Errorf("finished as %q", status)
			}
		}
		same(t, "status", got[Run](t)(s.Run(t.Context(), "r")).Status, Running)
		same(t, "events", len(log(t, s, "r")), 0)
	},
	"an end whose events can't be written is no end": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		bad := append(texts(1), Event{Source: "nobody", Payload: []byte(`{}`)})
		if err := s.Finish(t.Context(), "r", epoch, bad, Outcome{Status: Completed}); err == nil {
			t.Fatal("finished")
		}
		same(t, "status", got[Run](t)(s.Run(t.Context(), "r")).Status, Running)
		same(t, "events", len(log(t, s, "r")), 0)
	},
	"a run that nobody drove is abandoned": func(t *testing.T, open func() *Store) {
		s := open()
		pending(t, s, "r")
		must(t, s.AbandonPending(t.Context(), "r", Outcome{Status: Failed, Reason: "agent_lost"}, texts(1)))
		r := got[Run](t)(s.Run(t.Context(), "r"))
		if r.Status != Failed || r.Finished.IsZero() || !r.Started.IsZero() {
			t.Fatalf("run is %+v", r)
		}
		same(t, "events", len(log(t, s, "r")), 1)
	},
	"a run that somebody claimed isn't abandoned, even after its release": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		wantErr(t, s.AbandonPending(t.Context(), "r", Outcome{Status: Failed}, texts(1)), ErrFenced)
		must(t, s.Release(t.Context(), "r", epoch))
		wantErr(t, s.AbandonPending(t.Context(), "r", Outcome{Status: Failed}, texts(1)), ErrFenced)
		same(t, "status", got[Run](t)(s.Run(t.Context(), "r")).Status, Running)
	},
}

var cancelChecks = map[string]check{
	"a request to cancel is seen by another process and keeps its time": func(t *testing.T, open func() *Store) {
		s := open()
		claimed(t, s, "r")
		same(t, "requested", got[bool](t)(s.CancelRequested(t.Context(), "r")), false)
		same(t, "ended", got[bool](t)(s.RequestCancel(t.Context(), "r")), false)
		first := got[Run](t)(s.Run(t.Context(), "r")).CancelRequested
		same(t, "ended", got[bool](t)(s.RequestCancel(t.Context(), "r")), false)
		same(t, "requested", got[bool](t)(open().CancelRequested(t.Context(), "r")), true)
		same(t, "time", got[Run](t)(s.Run(t.Context(), "r")).CancelRequested, first)
	},
	"canceling what has ended says so": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		must(t, s.Finish(t.Context(), "r", epoch, nil, Outcome{Status: Completed}))
		same(t, "ended", got[bool](t)(s.RequestCancel(t.Context(), "r")), true)
		same(t, "requested", got[bool](t)(s.CancelRequested(t.Context(), "r")), false)
	},
	"an update changes what it names and nothing else": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		want := got[Run](t)(s.Run(t.Context(), "r"))
		box, key, launch, proc, sent, waiting, sum := "box", "key", []byte(`{"argv":["x"]}`), "p1", true, "w", "abc"
		for _, step := range []struct {
			update RunUpdate
			change func()
		}{
			{RunUpdate{Sandbox: &box}, func() { want.Sandbox = box }},
			{RunUpdate{Key: &key}, func() { want.Key = key }},
			{RunUpdate{Launch: (*json.RawMessage)(&launch)}, func() { want.Launch = launch }},
			{RunUpdate{Proc: &proc}, func() { want.Proc = proc }},
			{RunUpdate{PromptSent: &sent}, func() { want.PromptSent = true }},
			{RunUpdate{WaitingOn: &waiting}, func() { want.WaitingOn = waiting }},
			{RunUpdate{HarnessSHA256: &sum}, func() { want.HarnessSHA256 = sum }},
			{RunUpdate{}, func() {}},
		} {
			must(t, s.UpdateRun(t.Context(), "r", epoch, step.update))
			step.change()
			same(t, "run", got[Run](t)(s.Run(t.Context(), "r")), want)
		}
		waiting, sent = "", false
		must(t, s.UpdateRun(t.Context(), "r", epoch, RunUpdate{WaitingOn: &waiting, PromptSent: &sent}))
		r := got[Run](t)(s.Run(t.Context(), "r"))
		if r.WaitingOn != "" || r.PromptSent {
			t.Fatalf("run is %+v", r)
		}
	},
}
