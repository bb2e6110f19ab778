package runs

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// outcomeOf is how this run ends that an error ended. What failed after its agent
// was started was no bootstrap.
func (d *drive) outcomeOf(err error) store.Outcome {
	o := outcomeOf(err, d.canceled.Err() != nil)
	if _, told := errors.AsType[*endError](err); !told && o.Reason == string(harness.ReasonBootstrapFailed) && d.run.Proc != "" {
		o.Reason = string(harness.ReasonAgentLost)
	}
	return o
}

// outcomeOf is how a run ends that an error ended.
func outcomeOf(err error, canceled bool) store.Outcome {
	if canceled {
		return canceledOutcome()
	}
	o := store.Outcome{Status: store.Failed, Reason: string(harness.ReasonBootstrapFailed), Message: err.Error()}
	if e, ok := errors.AsType[*endError](err); ok {
		o.Reason, o.Message = string(e.reason), e.message
		return o
	}
	switch {
	case errors.Is(err, errDiverged):
		o.Reason = string(harness.ReasonReplayDiverged)
		o.Message = "the agent's output, read again, gave other events than those written before; the log stays as it is"
	case errors.Is(err, errPluginLost):
		o.Reason = string(harness.ReasonPluginCrashed)
	case errors.Is(err, sandbox.Gone):
		o.Reason = string(harness.ReasonSandboxGone)
	}
	return o
}

func canceledOutcome() store.Outcome {
	return store.Outcome{
		Status: store.Canceled, Reason: string(harness.ReasonCanceled), Message: "canceled on request",
	}
}

// lostAgent is why a run ends whose agent hung on a pipe that is gone.
func (d *drive) lostAgent() error {
	if d.lost != nil && !errors.Is(d.lost, errPluginLost) {
		return &endError{harness.ReasonAgentLost, "agent lost with its sandbox, or with the connection to it: " + d.lost.Error()}
	}
	if d.lost != nil { // we drove it ourselves, and a plugin died under us
		return &endError{harness.ReasonPluginCrashed, "agent lost with a plugin: " + d.lost.Error()}
	}
	return &endError{
		reason:  harness.ReasonAgentLost,
		message: "agent lost with its driver: it was read and answered through a pipe that ended with the driver",
	}
}

// outcomeOfResult is how a run ends whose harness told us.
func outcomeOfResult(r harness.Result) (store.Outcome, error) {
	o := store.Outcome{Status: store.Failed, Reason: string(r.Reason), Message: r.Message}
	switch r.Reason {
	case harness.ReasonOK:
		o.Status = store.Completed
	case harness.ReasonCanceled:
		// We didn't ask for it, so the agent ended its turn by itself.
		o.Message = nonEmpty(r.Message, "the agent canceled its turn")
	case "":
		o.Reason, o.Message = string(harness.ReasonCrashed), "the harness gave no reason"
	}
	err := bill(&o, r)
	return o, err
}

// bill puts down what the agent has used.
func bill(o *store.Outcome, r harness.Result) (err error) {
	if o.Usage, err = json.Marshal(r.Usage); err != nil {
		return fmt.Errorf("encode usage: %w", err)
	}
	if r.CostUSD > 0 {
		o.Cost = &r.CostUSD
	}
	return nil
}

// result is the value of RUN_FINISHED.
type result struct {
	Status store.Status    `json:"status"`
	Reason string          `json:"reason"`
	Usage  json.RawMessage `json:"usage,omitempty"`
	Cost   *float64        `json:"costUsd,omitempty"`
}

// terminal is a run's last event.
func terminal(run store.Run, o store.Outcome) agui.Event {
	if o.Status != store.Completed {
		return agui.RunError{Message: o.Message, Code: o.Reason}
	}
	value, err := json.Marshal(result{Status: o.Status, Reason: o.Reason, Usage: o.Usage, Cost: o.Cost})
	if err != nil { // strings and numbers, and JSON that was encoded before
		value = nil
	}
	return agui.RunFinished{ThreadID: run.ThreadName, RunID: run.ID, Result: value}
}

func nonEmpty(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
