package main

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/harnesstest"
)

var updateGolden = flag.Bool("update", false, "write the golden files anew")

// failures are the captures that don't end well; the others end with ok.
var failures = map[string]harness.Reason{
	"bypass-root":                harness.ReasonCrashed,
	"error-400":                  harness.ReasonCrashed,
	"error-401":                  harness.ReasonCrashed, // ended by who captured it, between two retries
	"error-401-retries0":         harness.ReasonBadKey,
	"error-404-model":            harness.ReasonModelUnknown,
	"error-500-forever-retries0": harness.ReasonOverloaded,
	"error-badflag":              harness.ReasonCLITooOld,
	"error-connrefused":          harness.ReasonNetwork,
	"error-nokey":                harness.ReasonBadKey,
	"max-turns":                  harness.ReasonMaxTurns,
	"resume-dup-session-id":      harness.ReasonCrashed,
	"resume-unknown":             harness.ReasonSessionUnknown,
	"sigint":                     harness.ReasonCanceled,
	"sigint-in-bash":             harness.ReasonCanceled,
	"sigterm":                    harness.ReasonCrashed,
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// exitOf is how the process of a capture ended.
func exitOf(t *testing.T, name string) *harness.Exit {
	t.Helper()
	var all map[string]struct {
		Exit   int
		Stderr string
	}
	if err := json.Unmarshal(readFile(t, "testdata/exits.json"), &all); err != nil {
		t.Fatal(err)
	}
	c, ok := all[name]
	if !ok {
		t.Fatalf("testdata/exits.json doesn't say how %s ended", name)
	}
	e := &harness.Exit{Known: true, Code: c.Exit, Stderr: []byte(c.Stderr)}
	if c.Exit < 0 {
		e.Code, e.Signal = -1, -c.Exit
	}
	return e
}

// rawKinds are the kinds that go out as RAW, as doc.go lists them: of those the
// captures have only this one.
func rawKinds(event json.RawMessage) bool {
	var e struct{ Type, Subtype string }
	return json.Unmarshal(event, &e) == nil && e.Type == "system" && e.Subtype == "permission_denied"
}

func TestCapturesOfTheRealCLI(t *testing.T) {
	names, err := filepath.Glob("testdata/*.ndjson")
	if err != nil || len(names) != 55 {
		t.Fatalf("%d captures, want 55: %v", len(names), err)
	}
	for _, path := range names {
		name := strings.TrimSuffix(filepath.Base(path), ".ndjson")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := readFile(t, path)
			start := harness.Start{Run: "r", Prompt: "Do the task", Policy: free(), Workspace: harness.Workspace{Root: "/tmp/repo"}}
			if strings.HasPrefix(name, "ctl-") {
				start.Policy.Default = "ask"
			}
			open := harnesstest.Pipe(t, &claude{})
			record := harnesstest.Replay(t, open, start, data, harnesstest.Options{
				Exit: exitOf(t, name), Slices: 2, Seed: 3, Raw: rawKinds,
			})
			harnesstest.Golden(t, "testdata/"+name+".golden", record, *updateGolden)
			compare(t, name, record, readAgain(t, data))
		})
	}
}

// compare holds what the harness made of a capture against the second reading.
func compare(t *testing.T, name string, r *harnesstest.Record, want *reading) {
	t.Helper()
	events, err := r.Events()
	if err != nil {
		t.Fatal(err)
	}
	text, thought := harnesstest.Said(events)
	if text != want.text {
		t.Errorf("text %q, want %q", text, want.text)
	}
	if thought != want.thought {
		t.Errorf("reasoning %q, want %q", thought, want.thought)
	}
	compareCalls(t, events, want)
	reason := failures[name]
	if reason == "" {
		reason = harness.ReasonOK
	}
	got := r.Result
	if got.Reason != reason {
		t.Errorf("reason %q, want %q: %s", got.Reason, reason, got.Message)
	}
	if got.Session != want.session {
		t.Errorf("session %q, want %q", got.Session, want.session)
	}
	if got.Usage.Input != int64(want.input) || math.Abs(got.CostUSD-want.cost) > 1e-9 {
		t.Errorf("usage %+v, cost %v; want %v and %v", got.Usage, got.CostUSD, want.input, want.cost)
	}
	var output any
	_ = json.Unmarshal(got.Output, &output) // none is nil, too
	if !reflect.DeepEqual(output, want.output) {
		t.Errorf("output %v, want %v", output, want.output)
	}
}

// told is a tool call as its events tell it.
type told struct {
	name, parent, args string
	result             *agui.ToolCallResult
}

func compareCalls(t *testing.T, events []agui.Event, want *reading) {
	t.Helper()
	var ids []string
	calls := map[string]*told{}
	for _, e := range events {
		switch e := e.(type) {
		case agui.ToolCallStart:
			ids = append(ids, e.ToolCallID)
			calls[e.ToolCallID] = &told{name: e.ToolCallName, parent: e.ParentToolCallID}
		case agui.ToolCallArgs:
			calls[e.ToolCallID].args += e.Delta
		case agui.ToolCallResult:
			calls[e.ToolCallID].result = &e
		}
	}
	if len(ids) != len(want.calls) {
		t.Fatalf("%d tool calls, want %d", len(ids), len(want.calls))
	}
	for i, w := range want.calls {
		c := calls[ids[i]]
		var args any
		if err := json.Unmarshal([]byte(c.args), &args); err != nil || !reflect.DeepEqual(args, w.args) {
			t.Errorf("call %s: arguments %s (%v), want %v", w.id, c.args, err, w.args)
		}
		parent := slices.IndexFunc(want.calls, func(o reread) bool { return o.id == w.parent })
		if c.name != w.name || (c.parent == "") != (parent < 0) || (parent >= 0 && c.parent != ids[parent]) {
			t.Errorf("call %s: name %q below %q; want %q below call %d", w.id, c.name, c.parent, w.name, parent)
		}
		failed := ""
		switch {
		case !w.answered:
			failed = "interrupted"
		case w.failed:
			failed = "failed"
		}
		if c.result == nil || c.result.Error != failed {
			t.Errorf("call %s: result %+v, want error %q", w.id, c.result, failed)
		}
	}
}

func TestEndingsOfTheCLI(t *testing.T) {
	for _, policy := range []harness.Policy{free(), {Default: "ask"}} {
		start := harness.Start{Run: "r", Prompt: "Do the task", Policy: policy}
		harnesstest.Endings(t, harnesstest.Pipe(t, &claude{}), start, harnesstest.Options{})
	}
}
