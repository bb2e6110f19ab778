package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// Answered is what became of an answer.
type Answered struct {
	Request store.Approval // as it stands in the store now
	Already bool           // somebody had answered it the same way before
}

// SeveralError lists the requests of a run that wait, where one was to be named.
type SeveralError struct {
	Run      string
	Requests []store.Approval // oldest first
}

func (e *SeveralError) Error() string {
	return fmt.Sprintf("run %s waits on %d requests: name one by its id", e.Run, len(e.Requests))
}

// Answer answers a request of a live run, once: that of the id (whole, or what
// follows the run's id and a hyphen), else the only one that waits. Scope says what
// else the answer is for. The first answer counts: an error says who gave another
// one, and which.
func Answer(ctx context.Context, st *store.Store, run store.Run, id string, d store.Decision, scope, by string) (Answered, error) {
	request, err := requestOf(ctx, st, run, id)
	if err != nil {
		return Answered{}, err
	}
	err = st.Decide(ctx, run.ID, request.ID, d, scope, by)
	late := errors.Is(err, store.ErrDecided) || errors.Is(err, store.ErrExpired) || errors.Is(err, store.ErrTerminal)
	if err != nil && !late {
		return Answered{}, fmt.Errorf("store the answer: %w", err)
	}
	now, rerr := st.Approval(ctx, run.ID, request.ID)
	switch {
	case rerr != nil:
		return Answered{}, fmt.Errorf("read request %s: %w", request.ID, rerr)
	case err == nil:
		return Answered{Request: now}, nil
	case errors.Is(err, store.ErrTerminal) && unheard(now):
		return Answered{}, fmt.Errorf("run %s has ended, and its agent was never told the answer: the request (%s) %s", run.ID, words(now), outcomeOfRequest(now))
	case now.Decision == d && (scope == now.Scope || scope == store.ScopeOnce):
		return Answered{Request: now, Already: true}, nil
	}
	return Answered{}, tooLate(now, run.ID)
}

// requestOf finds the request that is meant.
func requestOf(ctx context.Context, st *store.Store, run store.Run, id string) (store.Approval, error) {
	if id != "" {
		return namedRequest(ctx, st, run, id)
	}
	if run.Status.Terminal() {
		return store.Approval{}, fmt.Errorf("run %s has ended (%s): nothing of it waits for an answer", run.ID, run.Status)
	}
	waiting, err := waitingRequests(ctx, st, run.ID)
	switch {
	case err != nil:
		return store.Approval{}, err
	case len(waiting) == 1:
		return waiting[0], nil
	case len(waiting) > 1:
		return store.Approval{}, &SeveralError{run.ID, waiting}
	}
	doing, err := doing(ctx, st, run)
	if err != nil {
		return store.Approval{}, err
	}
	return store.Approval{}, fmt.Errorf("run %s waits for no answer: %s", run.ID, doing)
}

func namedRequest(ctx context.Context, st *store.Store, run store.Run, id string) (store.Approval, error) {
	for _, whole := range []string{id, run.ID + "-" + id} {
		a, err := st.Approval(ctx, run.ID, whole)
		if err == nil || !errors.Is(err, store.ErrNotFound) {
			return a, err
		}
	}
	all, err := st.Approvals(ctx, run.ID)
	if err != nil {
		return store.Approval{}, err
	}
	if len(all) == 0 {
		return store.Approval{}, fmt.Errorf("run %s has no request %q: it has asked for nothing so far", run.ID, id)
	}
	var ids []string
	for _, a := range all {
		ids = append(ids, a.ID)
	}
	return store.Approval{}, fmt.Errorf("run %s has no request %q; those it has had: %s", run.ID, id, strings.Join(ids, ", "))
}

// unheard reports whether somebody has answered a request, and no driver has taken
// the answer to the agent.
func unheard(a store.Approval) bool { return a.Decision != store.Undecided && a.Closed.IsZero() }

// waitingRequests are those that an answer would still count for.
func waitingRequests(ctx context.Context, st *store.Store, run string) ([]store.Approval, error) {
	all, err := st.PendingApprovals(ctx, run)
	return slices.DeleteFunc(all, expired), err
}

func expired(a store.Approval) bool { return !a.Expires.IsZero() && !time.Now().Before(a.Expires) }

// doing says what a live run does instead of waiting for a person.
func doing(ctx context.Context, st *store.Store, run store.Run) (string, error) {
	what := "its agent is at work"
	switch {
	case !run.CancelRequested.IsZero():
		what = "it is being canceled"
	case run.Status == store.Pending:
		what = "it is about to start"
	case !Driven(run):
		what = "it has no driver"
	case len(run.Launch) == 0:
		what = "its sandbox is being made ready"
	}
	all, err := st.Approvals(ctx, run.ID)
	if err != nil || len(all) == 0 {
		return what, err
	}
	return what + "; the last request (" + words(all[len(all)-1]) + ") " + outcomeOfRequest(all[len(all)-1]), nil
}

// words names a request by what it is about.
func words(a store.Approval) string {
	about := a.Target
	if about == "" {
		about = a.Title
	}
	const most = 60
	if r := []rune(about); len(r) > most {
		about = string(r[:most-1]) + "…"
	}
	return a.Kind + ": " + strings.Join(strings.Fields(about), " ")
}

// outcomeOfRequest says how a request was decided, and by whom.
func outcomeOfRequest(a store.Approval) string {
	switch {
	case a.Decision == store.Undecided && expired(a):
		return "ran out at " + a.Expires.Local().Format(time.TimeOnly) + ", which denies it"
	case a.Decision == store.Undecided:
		return "waits"
	case a.By == ByWithdrawal:
		return "was withdrawn at " + a.At.Local().Format(time.TimeOnly) + ", since the agent waits for the answer no longer"
	case a.By == "timeout":
		return "was denied at " + a.At.Local().Format(time.TimeOnly) + ", since nobody had answered in time"
	}
	word := map[store.Decision]string{store.Allow: "allowed", store.Deny: "denied"}[a.Decision]
	by := a.By
	if by == "policy" {
		by = "policy rule " + a.Rule
	}
	return "was " + word + ForWhat(a.Scope) + " by " + by + " at " + a.At.Local().Format(time.TimeOnly)
}

func tooLate(a store.Approval, run string) error {
	if a.Decision == store.Undecided && !expired(a) { // the run has ended without it
		return fmt.Errorf("run %s has ended before the request (%s) was answered", run, words(a))
	}
	return fmt.Errorf("the answer comes too late: the request (%s) %s", words(a), outcomeOfRequest(a))
}

// ForWhat words what an answer counts for beside its request, with a blank before
// it; empty for nothing.
func ForWhat(scope string) string {
	switch scope {
	case store.ScopeRun:
		return " for this run"
	case store.ScopeThread:
		return " for this thread"
	}
	return ""
}
