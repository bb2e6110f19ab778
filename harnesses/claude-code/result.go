package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// answered reads the CLI's answer to a request of ours. The prompt is sent only
// once the hook stands.
func (t *turn) answered(r *response) {
	if r.RequestID != idInitialize || t.stdin.prompted || t.failed != nil {
		return
	}
	if r.Subtype != "success" {
		t.failed = &harness.Result{
			Reason: harness.ReasonCLITooOld,
			Message: "Claude Code refused the control protocol, by which the policy is held: " + r.Error +
				"; install a tested version: " + install,
		}
		t.stdin.close()
		return
	}
	t.stdin.prompt(promptOf(t.s.Start()))
}

// ended reads a result line. There may be more: a subagent in the background
// makes the agent go on when it is done. The last counts.
func (t *turn) ended(l *line) {
	t.voice("").end()
	v := l.verdict
	t.result, t.subtype = &v, l.Subtype
	t.spent.add(&v)
	if !isNull(v.Output) {
		t.emitOutput(&v)
	}
	if t.agents == 0 || v.IsError || t.canceled {
		t.stdin.close()
	}
}

func (t *turn) emitOutput(v *verdict) {
	event, err := agui.NewCustom(agui.CustomStructuredOutput, struct {
		Object json.RawMessage `json:"object"`
		Raw    string          `json:"raw"`
	}{v.Output, v.Text})
	if err != nil {
		panic(err) // it was read as JSON
	}
	t.s.Emit(event)
}

// exit closes what is open and says how the run ended: as the last result line
// says, also where the CLI had to be killed after it; without one, by how the
// CLI ended.
func (t *turn) exit(e *harness.Exit) harness.Result {
	t.closeAll()
	var r harness.Result
	switch {
	case t.canceled:
		r = harness.Result{Reason: harness.ReasonCanceled, Message: "the run was canceled"}
	case t.failed != nil:
		r = *t.failed
	case t.result != nil:
		r.Reason, r.Message = judge(t.result, t.subtype)
		r.Output = t.result.Output
	default:
		r.Reason, r.Message = t.died(e)
	}
	if isNull(r.Output) {
		r.Output = nil
		if r.Reason == harness.ReasonOK && !isNull(t.s.Start().Schema) {
			r.Reason, r.Message = harness.ReasonCrashed,
				"the agent ended without the structured output that was asked for; say in the prompt what each field should hold"
		}
	}
	r.Session, r.Usage, r.CostUSD = t.session, t.spent.total(), t.spent.cost
	return r
}

// The exit codes of shells, of our own providers for a program that can't be
// started, and of the CLI after SIGTERM.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
	exitTerminated    = 143
)

// died is the end of a CLI that gave no result.
func (t *turn) died(e *harness.Exit) (harness.Reason, string) {
	program, how := t.config.command()[0], e.How()
	silent := t.session == "" && e.Known
	stderr := string(e.Stderr)
	switch {
	case silent && e.Code == exitNotFound:
		return harness.ReasonCLIMissing, program + " was not found (" + how + "); install it where the agent runs: " + install + e.LastWords()
	case silent && e.Code == exitNotExecutable:
		return harness.ReasonCLIMissing, program + " can't be executed (" + how + "); check its permissions and that it is built for this machine" + e.LastWords()
	case silent && strings.Contains(stderr, "unknown option"):
		return harness.ReasonCLITooOld, program + " doesn't know an option (" + how + "); install a tested version: " + install + e.LastWords()
	case silent && strings.Contains(stderr, "cannot be used with root"):
		return harness.ReasonCrashed, program + " refuses to bypass its permissions as root (" + how + "); set IS_SANDBOX = \"1\" in the harness's env if the sandbox is one, or run as another user" + e.LastWords()
	case silent && noSession(stderr):
		return harness.ReasonSessionUnknown, unknownSession(t.s.Start().Session)
	case t.cut > 0:
		return harness.ReasonOutputCut, fmt.Sprintf("%s ended in the middle of a message, after %d bytes of output (%s); see who ended it, and run again", program, t.cut, how) + e.LastWords()
	case e.Known && (e.Signal == sigterm || e.Code == exitTerminated):
		return harness.ReasonCrashed, program + " was ended by SIGTERM before it gave a result (" + how + "); see who ended it, and run again" + e.LastWords()
	}
	return harness.ReasonCrashed, program + " ended before it gave a result (" + how + ")" + e.LastWords()
}

const sigterm = 15
