package runs

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// asked is a live run whose agent asks for these commands.
func asked(t *testing.T, st *store.Store, commands ...string) store.Run {
	t.Helper()
	l := claimed(t, st, "r")
	for i, c := range commands {
		a := store.Approval{ID: "r-" + string(rune('1'+i)), Kind: "command", Target: c, Expires: time.Now().Add(time.Hour)}
		if err := st.AddApproval(t.Context(), "r", l.epoch, a, nil); err != nil {
			t.Fatal(err)
		}
	}
	return read(t, st)
}

func read(t *testing.T, st *store.Store) store.Run {
	t.Helper()
	run, err := st.Run(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestTheOnlyRequestNeedsNoID(t *testing.T) {
	st := openStore(t)
	got, err := Answer(t.Context(), st, asked(t, st, "date"), "", store.Allow, store.ScopeOnce, "ann")
	if err != nil || got.Already || got.Request.ID != "r-1" || got.Request.Decision != store.Allow || got.Request.By != "ann" || got.Request.Scope != "once" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestARequestIsNamedWithOrWithoutItsRun(t *testing.T) {
	for _, id := range []string{"2", "r-2"} {
		st := openStore(t)
		got, err := Answer(t.Context(), st, asked(t, st, "date", "ls"), id, store.Deny, store.ScopeOnce, "ann")
		if err != nil || got.Request.Target != "ls" || got.Request.Decision != store.Deny {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
	}
}

func TestOfSeveralRequestsOneMustBeNamed(t *testing.T) {
	st := openStore(t)
	_, err := Answer(t.Context(), st, asked(t, st, "date", "ls"), "", store.Allow, store.ScopeOnce, "ann")
	several, ok := errors.AsType[*SeveralError](err)
	if !ok || len(several.Requests) != 2 || several.Requests[0].Target != "date" {
		t.Errorf("%+v, %v", several, err)
	}
}

func TestTheFirstAnswerCountsAndTheOtherIsTold(t *testing.T) {
	st := openStore(t)
	run := asked(t, st, "date")
	if _, err := Answer(t.Context(), st, run, "", store.Deny, store.ScopeOnce, "ann"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		decision store.Decision
		scope    string
		want     string // in the error; empty: none
	}{
		{"another answer is refused", store.Allow, store.ScopeOnce, "too late: the request (command: date) was denied by ann at "},
		{"the same answer changes nothing", store.Deny, store.ScopeOnce, ""},
		{"the same answer for more is refused", store.Deny, store.ScopeThread, "too late: the request (command: date) was denied by ann at "},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Answer(t.Context(), st, run, "1", c.decision, c.scope, "bob")
			switch {
			case c.want == "" && (err != nil || !got.Already || got.Request.By != "ann"):
				t.Errorf("%+v, %v", got, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestWhatWaitsForNoAnswerSaysWhatItDoes(t *testing.T) {
	past := time.Now().Add(-time.Minute)
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, st *store.Store)
		id      string
		want    string
	}{
		{"nothing was asked", func(t *testing.T, st *store.Store) { t.Helper(); asked(t, st) }, "", "waits for no answer: its sandbox is being made ready"},
		{"a request of that id isn't there", func(t *testing.T, st *store.Store) { t.Helper(); asked(t, st) }, "7", `no request "7": it has asked for nothing`},
		{"another one is there", func(t *testing.T, st *store.Store) { t.Helper(); asked(t, st, "date") }, "7", `no request "7"; those it has had: r-1`},
		{"it was answered", func(t *testing.T, st *store.Store) {
			t.Helper()
			asked(t, st, "date")
			if err := st.Decide(t.Context(), "r", "r-1", store.Allow, "once", "ann"); err != nil {
				t.Fatal(err)
			}
		}, "", "the last request (command: date) was allowed by ann at "},
		{"it ran out and no driver has seen that yet", func(t *testing.T, st *store.Store) {
			t.Helper()
			l := claimed(t, st, "r")
			if err := st.AddApproval(t.Context(), "r", l.epoch, store.Approval{ID: "r-1", Kind: "command", Target: "date", Expires: past}, nil); err != nil {
				t.Fatal(err)
			}
		}, "1", "too late: the request (command: date) ran out at "},
		{"it ran out", func(t *testing.T, st *store.Store) {
			t.Helper()
			l := claimed(t, st, "r")
			if err := st.AddApproval(t.Context(), "r", l.epoch, store.Approval{ID: "r-1", Kind: "command", Target: "date", Expires: past}, nil); err != nil {
				t.Fatal(err)
			}
			if _, err := st.CloseApproval(t.Context(), "r", l.epoch, "r-1", store.Deny, "once", "timeout", nil); err != nil {
				t.Fatal(err)
			}
		}, "1", "since nobody had answered in time"},
		{"it is being canceled", func(t *testing.T, st *store.Store) {
			t.Helper()
			asked(t, st)
			if _, err := st.RequestCancel(t.Context(), "r"); err != nil {
				t.Fatal(err)
			}
		}, "", "it is being canceled"},
		{"it has ended", func(t *testing.T, st *store.Store) {
			t.Helper()
			asked(t, st, "date")
			if err := st.Finish(t.Context(), "r", 1, nil, store.Outcome{Status: store.Completed, Reason: "ok"}); err != nil {
				t.Fatal(err)
			}
		}, "", "run r has ended (completed)"},
		{"it has ended before the answer", func(t *testing.T, st *store.Store) {
			t.Helper()
			asked(t, st, "date")
			if err := st.Finish(t.Context(), "r", 1, nil, store.Outcome{Status: store.Completed, Reason: "ok"}); err != nil {
				t.Fatal(err)
			}
		}, "1", "has ended before the request (command: date) was answered"},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := openStore(t)
			c.prepare(t, st)
			_, err := Answer(t.Context(), st, read(t, st), c.id, store.Deny, store.ScopeOnce, "bob")
			if c.name == "it ran out" { // a denial that came by itself is what was wanted
				_, err = Answer(t.Context(), st, read(t, st), c.id, store.Allow, store.ScopeOnce, "bob")
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}
