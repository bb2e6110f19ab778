package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// reading is what a capture says, read a second time: by key, in plain JSON,
// sharing nothing with the harness, so that both can't be wrong alike.
type reading struct {
	text, thought string
	calls         []string // the agent's ids of its tool calls, as they came up
	inputs        map[string][]any
	failed        map[string]bool // calls that ended badly; a call without an end isn't in it
	asks          []map[string]any
	stop          string // stop reason; empty: the prompt got an error
	usage         map[string]any
	used          float64 // of the last usage_update
}

func readAgain(t *testing.T, output []byte, promptID float64) *reading {
	t.Helper()
	r := &reading{inputs: map[string][]any{}, failed: map[string]bool{}}
	for line := range bytes.Lines(output) {
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		switch m["method"] {
		case "session/update":
			r.update(at(m, "params", "update"))
		case "session/request_permission":
			r.asks = append(r.asks, at(m, "params"))
			r.call(at(m, "params", "toolCall"))
		case nil:
			if m["id"] == promptID && m["result"] != nil {
				r.stop, _ = at(m, "result")["stopReason"].(string)
				r.usage = usageIn(m["result"])
			}
		}
	}
	return r
}

func (r *reading) update(u map[string]any) {
	words, _ := at(u, "content")["text"].(string)
	switch u["sessionUpdate"] {
	case "agent_message_chunk":
		r.text += words
	case "agent_thought_chunk":
		r.thought += words
	case "tool_call", "tool_call_update":
		r.call(u)
	case "usage_update":
		r.used, _ = u["used"].(float64)
	}
}

func (r *reading) call(u map[string]any) {
	id, _ := u["toolCallId"].(string)
	if !slices.Contains(r.calls, id) {
		r.calls = append(r.calls, id)
	}
	if in := u["rawInput"]; in != nil {
		r.inputs[id] = append(r.inputs[id], in)
	}
	switch u["status"] {
	case "completed":
		r.failed[id] = false
	case "failed":
		r.failed[id] = true
	}
}

// at follows keys through objects; what isn't there is an empty one.
func at(m map[string]any, keys ...string) map[string]any {
	for _, key := range keys {
		m, _ = m[key].(map[string]any)
	}
	return m
}

// usageIn finds the sums of the turn wherever an answer holds them: in an object
// called usage, else in one that has a total.
func usageIn(v any) map[string]any {
	if u := find(v, func(m map[string]any) map[string]any { return at(m, "usage") }); u != nil {
		return u
	}
	return find(v, func(m map[string]any) map[string]any {
		if m["totalTokens"] == nil {
			return nil
		}
		return m
	})
}

// find looks through objects for the first that is what is wanted, from the
// outside in.
func find(v any, is func(map[string]any) map[string]any) map[string]any {
	m, _ := v.(map[string]any)
	if found := is(m); found != nil {
		return found
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if found := find(m[key], is); found != nil {
			return found
		}
	}
	return nil
}

func TestCapturesHoldNothingOfTheMachineThatMadeThem(t *testing.T) {
	absolute := regexp.MustCompile("(?:^|[\" =(`])(/[A-Za-z0-9_.$-]+)|(%2F[a-z]+)")
	for _, path := range captures(t) {
		data := string(readFile(t, path))
		for _, m := range absolute.FindAllStringSubmatch(data, -1) {
			if m[1] != "/tmp" && !slices.Contains([]string{"%2Ftmp", "%2Frepo"}, m[2]) {
				t.Errorf("%s holds %q: captures are sanitised as testdata/README.md says", path, m[0])
			}
		}
		for _, bad := range []string{"registry.", "Bearer ", "sk-", "xai-key", "available_commands_update"} {
			if strings.Contains(data, bad) {
				t.Errorf("%s holds %q: captures are sanitised as testdata/README.md says", path, bad)
			}
		}
	}
}
