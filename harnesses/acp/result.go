package main

import (
	"encoding/json"
	"fmt"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// prompted ends the turn by the answer to the prompt.
func (t *turn) prompted(a answer) {
	if a.failed != nil {
		t.refused("session/prompt", a.failed)
		return
	}
	if usage, ok := promptUsage(a.result); ok {
		t.usage = usage
	}
	var r struct {
		StopReason string `json:"stopReason"`
	}
	_ = json.Unmarshal(a.result, &r) // an unreadable answer has no stop reason
	reason, message := t.stopped(r.StopReason)
	t.finish(harness.Result{Reason: reason, Message: message})
}

func (t *turn) stopped(reason string) (harness.Reason, string) {
	switch reason {
	case "end_turn":
		return harness.ReasonOK, ""
	case "refusal":
		return harness.ReasonRefused, "the agent refused to go on"
	case "max_tokens":
		return harness.ReasonTruncated, "the answer was cut at the model's token limit"
	case "max_turn_requests":
		return harness.ReasonMaxTurns, "the agent made as many model requests as one turn may have"
	case "cancelled":
		if t.permissions.denied != "" {
			return harness.ReasonDenied, "the agent ended its turn after a denial: " + t.permissions.denied
		}
		return harness.ReasonCanceled, "the agent canceled its turn"
	case "":
		return harness.ReasonCrashed, "the agent answered the prompt without a stop reason"
	}
	return harness.ReasonCrashed, fmt.Sprintf("the agent stopped for a reason this harness doesn't know: %q", reason)
}

// exit closes what is open and says how the run ended: as the answer to the
// prompt said, also where the agent had to be killed after it; without an
// answer, by how the agent ended.
func (t *turn) exit(e *harness.Exit) harness.Result {
	t.speech.close()
	t.tools.interrupt()
	var r harness.Result
	switch {
	case t.canceled:
		r = harness.Result{Reason: harness.ReasonCanceled, Message: "the run was canceled"}
	case t.result != nil:
		r = *t.result
	default:
		r = t.ended(e)
	}
	r.Session, r.Usage, r.CostUSD = t.session, t.usage, t.cost
	return r
}

// The exit codes of shells and of our own providers for a program that can't be
// started.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

func (t *turn) ended(e *harness.Exit) harness.Result {
	program := t.config.Command[0]
	how := e.How()
	switch {
	case !t.heard && e.Known && e.Code == exitNotFound:
		return harness.Result{Reason: harness.ReasonCLIMissing, Message: program + " was not found (" + how + "); " + installHint(program) + e.LastWords()}
	case !t.heard && e.Known && e.Code == exitNotExecutable:
		return harness.Result{Reason: harness.ReasonCLIMissing, Message: program + " can't be executed (" + how + "); check its permissions and that it is built for this machine" + e.LastWords()}
	}
	if t.cut > 0 {
		return harness.Result{Reason: harness.ReasonOutputCut, Message: fmt.Sprintf(
			"%s ended in the middle of a message, after %d bytes of output (%s); see who ended it, and run again", program, t.cut, how) + e.LastWords()}
	}
	return harness.Result{Reason: harness.ReasonCrashed, Message: program + " ended before it answered (" + how + ")" + e.LastWords()}
}
