package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// Request is a run that somebody wants.
type Request struct {
	ID      string // empty: a new one
	Thread  string // name of the thread; empty: a new thread
	Spec    *config.Spec
	Prompt  string
	Approve Approve
	Schema  json.RawMessage // of the answer; nil: any text will do
}

// Start writes the run's row, with its whole resolved spec, and its first
// events. It starts no driver. A thread with a live run gives a
// *store.ThreadBusyError.
func Start(ctx context.Context, st *store.Store, req Request) (store.Run, error) {
	id, err := newID(req.ID)
	if err != nil {
		return store.Run{}, err
	}
	thread := req.Thread
	if thread == "" {
		thread = newThread()
	}
	spec, err := json.Marshal(Record{Spec: req.Spec, Prompt: req.Prompt, Approve: req.Approve, Schema: req.Schema})
	if err != nil {
		return store.Run{}, fmt.Errorf("encode spec of the run: %w", err)
	}
	accepted, err := agui.NewCustom("run.accepted", map[string]string{
		"run": id, "thread": thread, "sandbox": req.Spec.Block,
	})
	if err != nil {
		return store.Run{}, err
	}
	first, err := hostEvents(0, agui.RunStarted{ThreadID: thread, RunID: id}, accepted)
	if err != nil {
		return store.Run{}, err
	}
	run, err := st.CreateRun(ctx, store.NewRun{
		ID: id, ThreadName: thread, Harness: req.Spec.Harness.Type, Project: req.Spec.Project,
		Spec: spec, Events: first,
	})
	if err != nil {
		return store.Run{}, fmt.Errorf("start run: %w", err)
	}
	return run, nil
}

// newThread is a name for a thread that was given none.
func newThread() string {
	fresh := uuid.NewString()
	return "t-" + fresh[len(fresh)-12:]
}

func newID(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("make run id: %w", err)
	}
	return id.String(), nil
}

// Abandon ends a run for which no driver could be started, so that it doesn't
// hold its thread. One that a driver has taken meanwhile is left to it.
func Abandon(ctx context.Context, st *store.Store, run store.Run, cause error) error {
	o := store.Outcome{Status: store.Failed, Reason: string(harness.ReasonBootstrapFailed), Message: cause.Error()}
	last, err := hostEvents(0, terminal(run, o))
	if err == nil {
		err = st.AbandonPending(ctx, run.ID, o, last)
	}
	if err != nil && !errors.Is(err, store.ErrFenced) {
		return fmt.Errorf("end run %s: %w", run.ID, err)
	}
	return nil
}

// hostEvents encodes events of the host's own, made at a journal offset.
func hostEvents(offset int64, events ...agui.Event) ([]store.Event, error) {
	out := make([]store.Event, len(events))
	for i, e := range events {
		payload, err := agui.Marshal(e)
		if err != nil {
			return nil, err
		}
		out[i] = store.Event{Source: store.Host, Offset: offset, Payload: payload}
	}
	return out, nil
}
