package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// The pieces of a message as the CLI streams them, of the agent or of the
// subagent that call p started.
func start(p, message string) string {
	return stream(p, `{"type":"message_start","message":{"id":"`+message+`"}}`)
}

func opens(p string, index int, block string) string {
	return stream(p, fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, block))
}

func piece(p string, index int, delta string) string {
	return stream(p, fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, delta))
}

func stops(p string, index int) string {
	return stream(p, fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))
}

func stream(p, event string) string {
	return `{"type":"stream_event","event":` + event + `,"parent_tool_use_id":` + parentOf(p) + `}`
}

func whole(p, message, block string) string {
	return `{"type":"assistant","message":{"id":"` + message + `","content":[` + block + `]},"parent_tool_use_id":` + parentOf(p) + `}`
}

func answer(p, call, content string) string {
	return `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"` + call + `","content":` + content + `}]},"parent_tool_use_id":` + parentOf(p) + `}`
}

func parentOf(p string) string {
	if p == "" {
		return "null"
	}
	return `"` + p + `"`
}

const emptyText = `{"type":"text","text":""}`

func words(text string) string { return `{"type":"text_delta","text":"` + text + `"}` }

func text(text string) string { return `{"type":"text","text":"` + text + `"}` }

func use(id, input string) string {
	return `{"type":"tool_use","id":"` + id + `","name":"Bash","input":` + input + `}`
}

// outline is what the events say, a word or two each.
func outline(events []agui.Event) string {
	var out []string
	for _, e := range events {
		switch e := e.(type) {
		case agui.TextMessageStart:
			out = append(out, strings.TrimSuffix("text<"+e.ParentToolCallID, "<"))
		case agui.TextMessageContent:
			out = append(out, e.Delta)
		case agui.ReasoningMessageStart:
			out = append(out, strings.TrimSuffix("thought<"+e.ParentToolCallID, "<"))
		case agui.ReasoningMessageContent:
			out = append(out, e.Delta)
		case agui.TextMessageEnd, agui.ReasoningMessageEnd:
			out = append(out, ".")
		case agui.ToolCallStart:
			out = append(out, strings.TrimSuffix(e.ToolCallID+":"+e.ToolCallName+"<"+e.ParentToolCallID, "<"))
		case agui.ToolCallArgs:
			out = append(out, e.Delta)
		case agui.ToolCallResult:
			out = append(out, e.ToolCallID+"="+e.Content+e.Error)
		case agui.Custom:
			out = append(out, e.Name)
		case agui.Raw:
			out = append(out, "raw")
		}
	}
	return strings.Join(out, " ")
}

func TestNothingIsSaidTwiceAndNothingIsLost(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"only whole", []string{whole("", "m", text("a")), whole("", "m", text("b"))}, "text a . text b ."},
		{"streamed, then whole", []string{start("", "m"), opens("", 0, emptyText), piece("", 0, words("a")), piece("", 0, words("b")), whole("", "m", text("ab")), stops("", 0)}, "text a b ."},
		{"whole after the end of the block", []string{start("", "m"), opens("", 0, emptyText), piece("", 0, words("a")), stops("", 0), whole("", "m", text("a"))}, "text a ."},
		{"two blocks alike", []string{
			start("", "m"), opens("", 0, emptyText), piece("", 0, words("a")), whole("", "m", text("a")), stops("", 0),
			opens("", 1, emptyText), piece("", 1, words("a")), whole("", "m", text("a")), stops("", 1),
		}, "text a . text a ."},
		{"pieces that got lost", []string{start("", "m"), opens("", 0, emptyText), piece("", 0, words("a")), whole("", "m", text("abc")), stops("", 0)}, "text a bc ."},
		{"pieces of a second block that got lost", []string{
			start("", "m"), opens("", 0, emptyText), piece("", 0, words("a")), whole("", "m", text("a")), stops("", 0),
			opens("", 1, emptyText), piece("", 1, words("b")), whole("", "m", text("bc")), stops("", 1),
		}, "text a . text b c ."},
		{"pieces that come after the whole", []string{start("", "m"), opens("", 0, emptyText), whole("", "m", text("ab")), piece("", 0, words("b")), stops("", 0)}, "text ab ."},
		{"a block that was never streamed", []string{start("", "m"), whole("", "m", text("a"))}, "text a ."},
		{"a stream that broke, and the message anew", []string{start("", "m"), opens("", 0, emptyText), piece("", 0, words("a")), whole("", "n", text("b"))}, "text a . text b ."},
		{"text that comes with the start of its block", []string{start("", "m"), opens("", 0, text("a")), piece("", 0, words("b")), stops("", 0)}, "text a b ."},
		{"a cut stream", []string{start("", "m"), opens("", 0, emptyText), piece("", 0, words("a"))}, "text a ."},
		{"an empty block", []string{start("", "m"), opens("", 0, emptyText), whole("", "m", emptyText), stops("", 0)}, ""},
		{"a piece of no block", []string{piece("", 4, words("a"))}, ""},
		{"thinking", []string{
			start("", "m"), opens("", 0, `{"type":"thinking","thinking":""}`), piece("", 0, `{"type":"thinking_delta","thinking":"hm"}`), piece("", 0, `{"type":"signature_delta","signature":"x"}`),
			whole("", "m", `{"type":"thinking","thinking":"hm"}`), stops("", 0), whole("", "n", `{"type":"redacted_thinking","data":"x"}`),
		}, "thought hm ."},
		{"a streamed call", []string{
			start("", "m"), opens("", 0, use("t", "{}")), piece("", 0, `{"type":"input_json_delta","partial_json":"{\"a\":"}`), piece("", 0, `{"type":"input_json_delta","partial_json":"1}"}`),
			stops("", 0), whole("", "m", use("t", `{"a":1}`)), answer("", "t", `"x"`),
		}, `r-1:Bash {"a":1} r-1=x`},
		{"a call of which only the whole has arguments", []string{start("", "m"), opens("", 0, use("t", "{}")), whole("", "m", use("t", `{"a":1}`)), stops("", 0), answer("", "t", `"x"`)}, `r-1:Bash {"a":1} r-1=x`},
		{"a call without arguments", []string{start("", "m"), opens("", 0, use("t", "{}")), stops("", 0), answer("", "t", `null`)}, `r-1:Bash {} r-1=`},
		{"a call that is cut", []string{start("", "m"), opens("", 0, use("t", "{}")), piece("", 0, `{"type":"input_json_delta","partial_json":"{\"a"}`)}, `r-1:Bash {} r-1=interrupted`},
		{"a result in blocks", []string{whole("", "m", use("t", "{}")), answer("", "t", `[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]`)}, "r-1:Bash {} r-1=a\nb"},
		{"a result without text", []string{whole("", "m", use("t", "{}")), answer("", "t", `[ {"type":"image"} ]`)}, `r-1:Bash {} r-1=[{"type":"image"}]`},
		{"a result given twice", []string{whole("", "m", use("t", "{}")), answer("", "t", `"a"`), answer("", "t", `"b"`)}, "r-1:Bash {} r-1=a"},
		{"two calls with one id, whose results nothing tells apart", []string{whole("", "m", use("t", `{"a":1}`)), whole("", "m", use("t", `{"a":2}`)), answer("", "t", `"x"`), answer("", "t", `"y"`)}, `r-1:Bash {"a":1} r-1=x`},
		{"a result to no call", []string{answer("", "t", `"a"`)}, ""},
		{"a subagent that speaks between", []string{
			whole("", "m", use("t", "{}")), start("", "n"), opens("", 0, emptyText), piece("", 0, words("a")),
			start("t", "o"), opens("t", 0, emptyText), piece("t", 0, words("x")), piece("", 0, words("b")), whole("t", "o", use("u", "{}")),
			stops("", 0), answer("t", "u", `"y"`), answer("", "t", `"z"`),
		}, "r-1:Bash {} text a text<r-1 x b . r-4:Bash<r-1 {} . r-4=y r-1=z"},
		{"a subagent of a call that nobody saw", []string{whole("t", "m", text("a"))}, "text a ."},
		{"what has no translation", []string{
			`{"type":"new"}`, `{"type":"system","subtype":"compact_boundary"}`, whole("", "m", `{"type":"server_tool_use"}`), `{"type":"user","message":{"content":[{"type":"document"}]}}`,
		}, "raw raw raw raw"},
		{"what nobody needs", []string{
			`{"type":"user","message":{"content":"echo"}}`, `{"type":"user","message":{"content":[{"type":"text","text":"sub prompt"}]}}`, `{"type":"keep_alive"}`, `{"type":"tool_progress"}`,
			`{"type":"system","subtype":"status"}`, `{"type":"system","subtype":"task_progress"}`, `{"type":"control_response","response":{"request_id":"interrupt"}}`,
		}, ""},
		{"members of other shapes", []string{`{"type":"assistant","message":"x","event":7,"tasks":{},"error":[],"request":"r","response":0,"errors":"e"}`, whole("", "m", `7`)}, "raw"},
		{"a second session", []string{initLine, initLine, `{"type":"system","subtype":"init","session_id":"s2"}`}, "claude-code.session-id claude-code.session-id"},
		{"a version that wasn't tested", []string{`{"type":"system","subtype":"init","session_id":"s1","claude_code_version":"2.1.333"}`}, "claude-code.session-id warning"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, config{}, harness.Start{Policy: free()}, prints(c.lines...))
			if diff := cmp.Diff(c.want, outline(p.decoded(t))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestLinesThatAreNoMessages(t *testing.T) {
	var many []string
	for range maxNoise + 5 {
		many = append(many, "npm warn")
	}
	p := play(t, config{}, harness.Start{Policy: free()}, prints(initLine, `[]`, `null`, `{"type":7}`, `{"type":"result","is_er`), prints(many...), prints(wellDone))
	events := p.events()
	if len(events) != maxNoise+2 || !strings.Contains(events[len(events)-1], "9 more lines") {
		t.Errorf("%d events, the last is %s", len(events), events[len(events)-1])
	}
	if r := p.result(t); r.Reason != harness.ReasonOK {
		t.Errorf("result %+v", r)
	}
}

func TestALineOfEightMegabytes(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 8<<16)
	p := play(t, config{}, harness.Start{Policy: free()}, prints(whole("", "m", use("t", "{}")), answer("", "t", `"`+long+`"`)))
	for _, e := range p.decoded(t) {
		if r, ok := e.(agui.ToolCallResult); ok && r.Content == long {
			return
		}
	}
	t.Error("the result isn't there whole")
}

func TestVersions(t *testing.T) {
	for version, want := range map[string]bool{
		"": false, "2.1.197": false, "2.1.332": false, "2.1.250": false,
		"2.1.196": true, "2.1.333": true, "2.2.0": true, "1.9.999": true, "3.0.0": true, "2.1.1000": true, "2.1": true, "next": true, "2.1.300-beta": true,
	} {
		if got := untested(version) != ""; got != want {
			t.Errorf("%q is untested: %v, want %v", version, got, want)
		}
	}
	for version, want := range map[string]bool{
		"": false, "2.1.332": false, "2.1.333": false, "2.1.1000": false, "10.0.0": false, "3.0.0": false, "next": false,
		"2.1.331": true, "2.1.197": true, "2.0.400": true, "1.9.999": true,
	} {
		if got := unguarded(version) != ""; got != want {
			t.Errorf("%q is unguarded: %v, want %v", version, got, want)
		}
	}
}
