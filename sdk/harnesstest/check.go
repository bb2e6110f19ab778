package harnesstest

import (
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// maxArg is Linux's limit for one argument.
const maxArg = 128 << 10

// checkRecord checks what must hold of any session.
func checkRecord(t T, r *Record, start harness.Start, o Options) {
	t.Helper()
	for _, p := range r.problems {
		t.Errorf("order of messages: %s", p)
	}
	events, err := r.Events()
	if err != nil {
		t.Errorf("%v", err)
	}
	for _, p := range Order(events) {
		t.Errorf("order of events: %s", p)
	}
	checkRaw(t, events, o)
	if len(r.Launches) != 1 {
		t.Fatalf("%d Launch messages, want exactly one", len(r.Launches))
	}
	checkLaunch(t, r.Launches[0], start, o)
	checkAsks(t, r.Asks)
	checkResult(t, r.Result)
}

// checkRaw: what has a translation must not go out as it came.
func checkRaw(t T, events []agui.Event, o Options) {
	t.Helper()
	for _, e := range events {
		if raw, ok := e.(agui.Raw); ok && o.Raw != nil && !o.Raw(raw.Event) {
			t.Errorf("a RAW event of a kind that isn't listed: %.300s", raw.Event)
		}
	}
}

func checkLaunch(t T, l *harness.Launch, start harness.Start, o Options) {
	t.Helper()
	if len(l.Argv) == 0 || l.Argv[0] == "" {
		t.Errorf("launch: argv names no program")
	}
	switch l.Stdin {
	case "", harness.StdinNone, harness.StdinPrompt, harness.StdinDuplex:
	default:
		t.Errorf("launch: stdin mode %q is none of the contract's", l.Stdin)
	}
	if l.Stdin == harness.StdinPrompt && len(l.Prompt) == 0 {
		t.Errorf("launch: stdin mode prompt without a prompt")
	}
	if l.Stdin != harness.StdinPrompt && len(l.Prompt) > 0 {
		t.Errorf("launch: a prompt with stdin mode %q", l.Stdin)
	}
	for _, arg := range l.Argv {
		if len(arg) >= maxArg {
			t.Errorf("launch: an argument of %d bytes; the limit is %d", len(arg), maxArg)
		}
		for what, secret := range forbidden(start, o) {
			if strings.Contains(arg, secret) {
				t.Errorf("launch: %s is in argv, which every process on the machine can read", what)
			}
		}
	}
}

// forbidden is what must not be in argv. Very short texts would be found by
// chance.
func forbidden(start harness.Start, o Options) map[string]string {
	out := map[string]string{}
	add := func(what, text string) {
		if len(text) >= 6 {
			out[what] = text
		}
	}
	add("the prompt", strings.TrimSpace(start.Prompt))
	add("the schema", string(start.Schema))
	for _, s := range o.Secrets {
		add("a secret", s)
	}
	for _, m := range start.History {
		add("the history", strings.TrimSpace(m.Text))
	}
	return out
}

func checkAsks(t T, asks []*harness.Ask) {
	t.Helper()
	seen := map[string]bool{}
	for _, a := range asks {
		if a.ID == "" || seen[a.ID] {
			t.Errorf("ask: the id %q is empty or was used before", a.ID)
		}
		seen[a.ID] = true
		if a.Target == "" || a.Title == "" {
			t.Errorf("ask %s: it needs a target and a title, or nobody can decide it", a.ID)
		}
		if !slices.Contains([]harness.AskKind{harness.AskCommand, harness.AskFileWrite, harness.AskNetwork, harness.AskTool}, a.Kind) {
			t.Errorf("ask %s: kind %q is none of the contract's", a.ID, a.Kind)
		}
	}
}

// Reasons are those a harness may give.
func Reasons() []harness.Reason {
	return []harness.Reason{
		harness.ReasonOK, harness.ReasonDenied, harness.ReasonBadKey, harness.ReasonNoCredit, harness.ReasonRateLimited,
		harness.ReasonOverloaded, harness.ReasonContextTooLong, harness.ReasonModelUnknown, harness.ReasonNetwork,
		harness.ReasonSessionUnknown, harness.ReasonCLIMissing, harness.ReasonCLITooOld, harness.ReasonCrashed, harness.ReasonTruncated,
		harness.ReasonMaxTurns, harness.ReasonRefused, harness.ReasonCanceled, harness.ReasonOutputCut,
	}
}

func checkResult(t T, r *harness.Result) {
	t.Helper()
	if !slices.Contains(Reasons(), r.Reason) {
		t.Errorf("done: reason %q is none that a harness may give", r.Reason)
	}
	if r.Reason == harness.ReasonOK && r.Message != "" {
		t.Errorf("done: reason ok with a message: %s", r.Message)
	}
	if r.Reason != harness.ReasonOK && r.Message == "" {
		t.Errorf("done: reason %s without a message: a person must know what happened", r.Reason)
	}
}

// checkAcknowledged: the host learns from the journal ends how far a replay
// must go.
func checkAcknowledged(t T, r *Record, end int64) {
	t.Helper()
	if !slices.IsSorted(r.ends) {
		t.Errorf("journal ends go back: %v", r.ends)
	}
	if end > 0 && (len(r.ends) == 0 || r.ends[len(r.ends)-1] != end) {
		t.Errorf("journal ends are %v; the output ends at %d", r.ends, end)
	}
}
