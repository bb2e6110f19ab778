package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// hostile are lines as no CLI prints them.
func hostile() []string {
	deep := strings.Repeat(`{"a":[`, 20_000)
	return []string{
		`{"type":"result","total_cost_usd":1e999,"num_turns":99999999999999999999,"usage":{"input_tokens":-1e308}}`,
		`{"type":"stream_event","event":{"type":"content_block_delta","index":99999999999999999999,"delta":{"type":"text_delta","text":"x"}}}`,
		`{"type":"stream_event","event":{"type":"content_block_start","index":-1,"content_block":{"type":"text","text":"x"}}}`,
		`{"type":"assistant","message":{"id":"m","content":` + deep + `}}`, `{"type":"user","message":{"content":"` + "\xff\xfe\xed\xa0\x80" + `"}}`,
		`{"type":"assistant","type":"user","message":{"content":[{"type":"text","text":"a","text":"b"}]},"message":null}`,
		`{"type":"new","subtype":{"a":1},"session_id":[]}`, `{"type":"assistant","message":{"content":[1,null,{"type":7},{"type":"tool_use"},{"type":"tool_use","id":"","name":"","input":"x"}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"","content":[{"type":"text","text":7},{}],"is_error":"no"}]}}`,
		`{"type":"stream_event","parent_tool_use_id":"nobody","event":{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"Bash"}}}`,
		`{"type":"stream_event","parent_tool_use_id":"t","event":{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"Bash"}}}`,
		`{"type":"control_request","request_id":"r","request":{"subtype":"hook_callback","input":{"tool_name":"Bash","tool_input":[],"tool_use_id":"t"}}}`,
		`{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"","input":7}}`, `{"type":"control_cancel_request","request_id":"r"}`,
		`{"type":"control_response","response":{"subtype":"success","request_id":"initialize","response":{"a":[]}}}`,
		`{"type":"system","subtype":"init","session_id":"` + strings.Repeat("s", 70_000) + `","claude_code_version":"999999999999999999999.x","mcp_servers":[7]}`,
		`{"type":"system","subtype":"background_tasks_changed","tasks":{}}`, `{"type":""}`, `{}`, `[]`, `null`, `"`, "\x00", `{"type":"keep_alive"}{"type":"result"}`,
		`{"type":"stream_event","event":{"type":"message_start","message":{"id":"m"}}}`, `{"type":"stream_event","event":{"type":"content_block_stop","index":0}}`,
	}
}

// garbage gives a session lines and holds what it makes of them against what any
// reader of events may count on.
func garbage(t *testing.T, data []byte, policy harness.Policy, cut int) {
	whole := fed(t, policy, data)
	parts := bytes.SplitAfter(data, []byte("\n"))
	cut = min(max(cut, 0), len(parts))
	halves := fed(t, policy, bytes.Join(parts[:cut], nil), bytes.Join(parts[cut:], nil))
	if diff := cmp.Diff(whole, halves); diff != "" {
		t.Errorf("other batches give other events:\n%s", diff)
	}
	size := 0
	for _, payload := range whole {
		if !json.Valid([]byte(payload)) {
			t.Errorf("no JSON: %q", payload)
		}
		size += len(payload)
	}
	// A byte that JSON escapes takes six; each line may make a few events.
	if most := 8*len(data) + 2000*(bytes.Count(data, []byte("\n"))+2); size > most {
		t.Errorf("%d bytes of lines give %d of events", len(data), size)
	}
}

// fed are the events of a session that gets these batches.
func fed(t *testing.T, policy harness.Policy, batches ...[]byte) (payloads []string) {
	t.Helper()
	var steps []step
	end := int64(0)
	for _, data := range batches {
		end += int64(len(data))
		lines := &harness.Lines{Data: data, End: end}
		steps = append(steps, func(*tape) harness.ToHarness { return lines })
	}
	p := play(t, config{}, harness.Start{Policy: policy}, steps...)
	for _, e := range sentOf[*harness.Events](p) {
		for _, payload := range e.Payloads {
			payloads = append(payloads, string(payload))
		}
	}
	return payloads
}

func TestHostileLinesBreakNothing(t *testing.T) {
	all := hostile()
	for _, policy := range []harness.Policy{free(), {Default: "ask"}} {
		garbage(t, []byte(strings.Join(all, "\n")+"\n"), policy, len(all)/2)
		for _, line := range all {
			garbage(t, []byte(line+"\n"+all[0]+"\n"+line), policy, 1)
		}
	}
}

// FuzzHostileLines begins with what the CLI prints and with what it never does.
func FuzzHostileLines(f *testing.F) {
	captures, err := filepath.Glob("testdata/*partial.ndjson")
	if err != nil || len(captures) == 0 {
		f.Fatal(captures, err)
	}
	for _, name := range append(captures, "testdata/ctl-deny.ndjson", "testdata/subagent.ndjson") {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, true, 3)
	}
	for i, line := range hostile() {
		f.Add([]byte(line+"\n"+hostile()[i/2]), i%2 == 0, 1)
	}
	f.Fuzz(func(t *testing.T, data []byte, asks bool, cut int) {
		policy := free()
		if asks {
			policy = harness.Policy{Default: "ask"}
		}
		garbage(t, data, policy, cut)
	})
}
