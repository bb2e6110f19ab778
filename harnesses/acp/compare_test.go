package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/harnesstest"
)

// compareCalls: one call for each of the agent's, in its order, with arguments
// that the agent told and the end that it told. That each has START, ARGS, END
// and RESULT once and in order is what harnesstest.Order holds.
func compareCalls(t *testing.T, events []agui.Event, want *reading) {
	t.Helper()
	calls := callsOf(events)
	if len(calls) != len(want.calls) {
		t.Fatalf("%d tool calls, want %d", len(calls), len(want.calls))
	}
	for i, c := range calls {
		id := want.calls[i]
		var args any
		if err := json.Unmarshal([]byte(c.args), &args); err != nil {
			t.Errorf("call %s: arguments: %v in %s", id, err, c.args)
			continue
		}
		told := slices.DeleteFunc(slices.Clone(want.inputs[id]), func(in any) bool { return reflect.DeepEqual(in, map[string]any{}) })
		if len(told) > 0 && !slices.ContainsFunc(told, func(in any) bool { return reflect.DeepEqual(in, args) }) {
			t.Errorf("call %s: arguments %s; the agent told %v", id, c.args, told)
		}
		failed, ended := want.failed[id]
		switch {
		case c.result == nil:
			t.Errorf("call %s has no result", id)
		case !ended && c.result.Error != "interrupted":
			t.Errorf("call %s: error %q; the agent never ended it", id, c.result.Error)
		case ended && (c.result.Error != "") != failed:
			t.Errorf("call %s: error %q; the agent says failed is %v", id, c.result.Error, failed)
		}
	}
}

// compareAsks: one for each of the agent's requests, with the agent's choices.
func compareAsks(t *testing.T, asks []*harness.Ask, want *reading) {
	t.Helper()
	if len(asks) != len(want.asks) {
		t.Fatalf("%d asks, want %d", len(asks), len(want.asks))
	}
	for i, a := range asks {
		var got, offered []string
		for _, o := range a.Options {
			got = append(got, o.ID)
		}
		options, _ := want.asks[i]["options"].([]any)
		for _, o := range options {
			o, _ := o.(map[string]any)
			id, _ := o["optionId"].(string)
			offered = append(offered, id)
		}
		if diff := cmp.Diff(offered, got); diff != "" {
			t.Errorf("ask %s (-offered +asked):\n%s", a.ID, diff)
		}
	}
}

// wrote is a message of a client, as far as clients may not differ.
type wrote struct {
	ID     float64
	Method string
	Result map[string]any
	Error  map[string]any
}

func written(t *testing.T, data []byte) []wrote {
	t.Helper()
	var out []wrote
	for line := range bytes.Lines(data) {
		var w wrote
		if err := json.Unmarshal(line, &w); err != nil {
			t.Fatal(err)
		}
		out = append(out, w)
	}
	return out
}

// client is what the captured client wrote.
func (c capture) client(t *testing.T) []wrote {
	t.Helper()
	var data []byte
	for _, s := range c.transcript {
		if !s.ByAgent {
			data = append(append(data, s.JSON...), '\n')
		}
	}
	return written(t, data)
}

func (c capture) methods(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, w := range c.client(t) {
		if w.Method != "" {
			out = append(out, w.Method)
		}
	}
	return out
}

// answers: what the agent asked was answered as the captured client answered.
// Files that editors write for an agent are refused instead, and a denial picks
// an option where that client withdrew.
func answers(t *testing.T, c capture, r *harnesstest.Retold) {
	t.Helper()
	of := func(all []wrote) map[float64]map[string]any {
		out := map[float64]map[string]any{}
		for _, w := range all {
			if outcome := at(w.Result, "outcome"); w.Method == "" && outcome != nil {
				out[w.ID] = outcome
			}
		}
		return out
	}
	want, got := of(c.client(t)), of(written(t, r.Input()))
	for id, outcome := range want {
		if outcome["outcome"] == "cancelled" && got[id]["outcome"] == "selected" {
			got[id] = outcome
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers to the agent (-client +harness):\n%s", diff)
	}
}
