package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// said is a chunk of the agent's message.
func said(text string) string {
	return `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + text + `"}}`
}

func thinks(text string) string {
	return `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"` + text + `"}}`
}

// called and changed are a tool_call and a tool_call_update of call c1.
func called(members string) string {
	return `{"sessionUpdate":"tool_call","toolCallId":"c1"` + more(members) + `}`
}

func changed(members string) string {
	return `{"sessionUpdate":"tool_call_update","toolCallId":"c1"` + more(members) + `}`
}

func more(members string) string {
	if members == "" {
		return ""
	}
	return "," + members
}

func TestUpdates(t *testing.T) {
	for _, c := range []struct {
		name    string
		updates []string
		want    []string
	}{
		{
			name: "text is one message until something else comes", updates: []string{said("a"), said("b"), thinks("c"), said("d")},
			want: []string{
				"text start 1", "text 1 a", "text 1 b", "text end 1",
				"reasoning start 2", "reasoning message start 2", "reasoning message 2 c", "reasoning message end 2", "reasoning end 2",
				"text start 3", "text 3 d", "text end 3",
			},
		},
		{
			name: "another message id is another message", updates: []string{
				`{"sessionUpdate":"agent_message_chunk","messageId":"x","content":{"type":"text","text":"a"}}`,
				said("b"), `{"sessionUpdate":"agent_message_chunk","messageId":"y","content":{"type":"text","text":"c"}}`,
			},
			want: []string{"text start 1", "text 1 a", "text 1 b", "text end 1", "text start 2", "text 2 c", "text end 2"},
		},
		{name: "an empty chunk is nothing", updates: []string{said(""), thinks("")}},
		{
			name: "a call with its arguments", updates: []string{called(`"title":"List","kind":"read","rawInput":{"path": "/a"}`), changed(`"status":"completed","rawOutput":"x y"`)},
			want: []string{"call start 1 read", `call args 1 {"path":"/a"}`, "call end 1", "call result 1 2 x y"},
		},
		{
			name: "arguments that come when the call runs", updates: []string{
				called(`"title":"bash","kind":"execute","status":"pending","rawInput":{"cwd":"/w"}`),
				changed(`"status":"in_progress","rawInput":{"command":"ls","cwd":"/w"}`),
				changed(`"status":"in_progress","rawInput":{"command":"ls","cwd":"/w"}`),
				changed(`"status":"completed","content":[{"type":"content","content":{"type":"text","text":"a"}},{"type":"content","content":{"type":"text","text":"b"}}]`),
			},
			want: []string{"call start 1 execute", `call args 1 {"command":"ls","cwd":"/w"}`, "call end 1", "call result 1 2 a\nb"},
		},
		{
			name: "arguments that grow while the call is pending", updates: []string{
				called(`"name":"Write","status":"pending","rawInput":{}`), changed(`"rawInput":{"path":"/a"}`), changed(`"rawInput":{"path":"/a","text":"b"}`),
				`{"sessionUpdate":"usage_update","used":5}`, changed(`"rawInput":{"too":"late"}`), changed(`"status":"completed","rawOutput":{"ok": true}`),
			},
			want: []string{"call start 1 Write", `call args 1 {"path":"/a","text":"b"}`, "call end 1", `call result 1 2 {"ok":true}`},
		},
		{
			name: "arguments are what they were when the call began to run", updates: []string{
				called(`"name":"Write","status":"pending"`), changed(`"status":"in_progress","rawInput":{"a":1}`), changed(`"rawInput":{"a":2}`), changed(`"status":"completed"`),
			},
			want: []string{"call start 1 Write", `call args 1 {"a":1}`, "call end 1", "call result 1 2"},
		},
		{
			name: "another call completes the arguments of the one before", updates: []string{
				called(`"kind":"read","status":"pending"`), changed(`"rawInput":{"a":1}`),
				`{"sessionUpdate":"tool_call","toolCallId":"c2","kind":"edit","status":"pending"}`, changed(`"rawInput":{"a":2}`), changed(`"status":"completed"`),
			},
			want: []string{
				"call start 1 read", `call args 1 {"a":1}`, "call end 1", "call start 2 edit", "call result 1 3",
				"call args 2 {}", "call end 2", "call result 2 4  error interrupted",
			},
		},
		{
			name: "arguments that come with the result only", updates: []string{called(`"kind":"fetch"`), changed(`"status":"completed","rawInput":{"url":"u"},"rawOutput":"o"`)},
			want: []string{"call start 1 fetch", `call args 1 {"url":"u"}`, "call end 1", "call result 1 2 o"},
		},
		{
			name: "a call that never tells its arguments", updates: []string{
				called(`"kind":"edit","title":"Editing","status":"in_progress","content":[{"type":"diff","path":"/a","newText":"n"}]`),
				said("meanwhile"), changed(`"status":"completed","locations":[{"path":"/a"}]`),
			},
			want: []string{
				"call start 1 edit", "text start 2", "text 2 meanwhile", "text end 2",
				`call args 1 {"paths":["/a"],"title":"Editing"}`, "call end 1", `call result 1 3 [{"type":"diff","path":"/a","newText":"n"}]`,
			},
		},
		{
			name: "a result is what the agent shows, rather than notes of its own", updates: []string{
				called(`"kind":"execute","rawInput":{"command":"ls"}`),
				changed(`"status":"completed","content":[{"type":"content","content":{"type":"text","text":"a"}}],"rawOutput":{"output":[97],"exit_code":0}`),
			},
			want: []string{"call start 1 execute", `call args 1 {"command":"ls"}`, "call end 1", "call result 1 2 a"},
		},
		{
			name: "a result that shows no text is one without text", updates: []string{
				called(`"kind":"execute","rawInput":{"command":"true"}`),
				changed(`"status":"completed","content":[{"type":"content","content":{"type":"text","text":""}}],"rawOutput":{"output":[],"exit_code":0}`),
			},
			want: []string{"call start 1 execute", `call args 1 {"command":"true"}`, "call end 1", "call result 1 2"},
		},
		{
			name: "a diff is shown rather than notes", updates: []string{
				called(`"kind":"edit","rawInput":{"path":"/a"}`),
				changed(`"status":"completed","content":[{"type":"diff","path":"/a","newText":"n"}],"rawOutput":{"edits":1}`),
			},
			want: []string{"call start 1 edit", `call args 1 {"path":"/a"}`, "call end 1", `call result 1 2 [{"type":"diff","path":"/a","newText":"n"}]`},
		},
		{
			name: "a call that fails", updates: []string{called(`"title":"T"`), changed(`"status":"failed","content":[{"type":"content","content":{"type":"text","text":"no"}}]`)},
			want: []string{"call start 1 T", `call args 1 {"title":"T"}`, "call end 1", "call result 1 2 no error failed"},
		},
		{
			name: "a call that is still open at the end", updates: []string{called(`"kind":"execute","rawInput":{"command":"sleep"}`)},
			want: []string{"call start 1 execute", `call args 1 {"command":"sleep"}`, "call end 1", "call result 1 2  error interrupted"},
		},
		{
			name: "an update without a call", updates: []string{changed(`"title":"Shell","status":"completed","content":[]`)},
			want: []string{"call start 1 Shell", `call args 1 {"title":"Shell"}`, "call end 1", "call result 1 2"},
		},
		{
			name: "a call announced twice is one", updates: []string{called(`"kind":"read"`), called(`"rawInput":{"a":1}`), changed(`"status":"completed"`)},
			want: []string{"call start 1 read", `call args 1 {"a":1}`, "call end 1", "call result 1 2"},
		},
		{
			name: "an afterthought to a closed call is nothing, a new call under its id is one", updates: []string{
				called(`"kind":"read","status":"completed"`), changed(`"status":"completed"`), called(`"kind":"edit","status":"failed"`),
			},
			want: []string{
				"call start 1 read", "call args 1 {}", "call end 1", "call result 1 2",
				"call start 3 edit", "call args 3 {}", "call end 3", "call result 3 4  error failed",
			},
		},
		{
			name: "the tool's name in _meta", updates: []string{called(`"kind":"other","title":"T","_meta":{"a":1,"x.ai/tool":{"name":"grep"}},"status":"completed"`)},
			want: []string{"call start 1 grep", `call args 1 {"title":"T"}`, "call end 1", "call result 1 2"},
		},
		{
			name: "a plan closes the message", updates: []string{said("a"), `{"sessionUpdate":"plan","entries":[{"content":"x"}]}`, `{"sessionUpdate":"plan"}`},
			want: []string{"text start 1", "text 1 a", "text end 1", `custom plan {"entries":[{"content":"x"}]}`, `custom plan {"entries":[]}`},
		},
		{
			name: "kinds that tell a reader nothing", updates: []string{
				`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"x"}}`, `{"sessionUpdate":"available_commands_update"}`,
				`{"sessionUpdate":"current_mode_update"}`, `{"sessionUpdate":"session_info_update","title":"t"}`, `{"sessionUpdate":"config_option_update"}`,
			},
		},
		{
			name: "unknown kinds and content go out raw, whole", updates: []string{
				`{"sessionUpdate":"hologram","a":{"b":[1]}}`, `{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"AA"}}`,
				`{"sessionUpdate":"agent_message_chunk","content":"bare"}`, `{"sessionUpdate":"tool_call"}`, `[7]`, `{}`,
			},
			want: []string{
				`raw {"sessionUpdate":"hologram","a":{"b":[1]}}`, `raw {"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"AA"}}`,
				`raw {"sessionUpdate":"agent_message_chunk","content":"bare"}`, `raw {"sessionUpdate":"tool_call"}`,
				`raw {"sessionId":"s1","update":[7]}`, `raw {}`,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, config{}, harness.Start{}, updates(c.updates...), prints(endTurn))
			if diff := cmp.Diff(c.want, brief(p.decoded(t))); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVendorNotificationsAreIgnored(t *testing.T) {
	p := play(t, config{}, harness.Start{}, prints(hello, opened,
		`{"jsonrpc":"2.0","method":"_x.ai/session_notification","params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"no"}}}}`,
		`{"jsonrpc":"2.0","method":"window/logMessage","params":[1,2]}`, endTurn))
	if diff := cmp.Diff([]string{sessionEvent}, p.events()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestTheUsageOfTheAnswerIsTheLastWord(t *testing.T) {
	late := `{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"usage_update","used":99}}}`
	p := play(t, config{}, harness.Start{}, prints(hello, opened, `{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn","usage":{"inputTokens":1,"totalTokens":2}}}`, late))
	if u := p.result(t).Usage; u.Total != 2 {
		t.Errorf("usage %+v, want a total of 2", u)
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		name   string
		result string
		want   harness.Usage
	}{
		{"as the protocol has it", `"usage":{"inputTokens":1,"outputTokens":2,"cachedReadTokens":3,"cachedWriteTokens":4,"thoughtTokens":5,"totalTokens":6}`, harness.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Reasoning: 5, Total: 6}},
		{"under _meta", `"_meta":{"inputTokens":1,"usage":{"inputTokens":7,"reasoningTokens":2,"cacheCreationTokens":3}}`, harness.Usage{Input: 7, Reasoning: 2, CacheWrite: 3}},
		{"flat under _meta", `"_meta":{"inputTokens":1,"outputTokens":"2"}`, harness.Usage{Input: 1}},
		{"null, but the context is known", `"usage":null,"_meta":{"usage":null}`, harness.Usage{Total: 120}},
		{"of another shape", `"usage":[1],"_meta":"x"`, harness.Usage{Total: 120}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, config{}, harness.Start{},
				updates(`{"sessionUpdate":"usage_update","used":120,"size":1000,"cost":{"amount":0.25,"currency":"USD"}}`, `{"sessionUpdate":"usage_update","used":"x","cost":{"amount":9,"currency":"EUR"}}`),
				prints(`{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn",`+c.result+`}}`))
			r := p.result(t)
			if diff := cmp.Diff(c.want, r.Usage); diff != "" || r.CostUSD != 0.25 {
				t.Errorf("cost %v, usage (-want +got):\n%s", r.CostUSD, diff)
			}
		})
	}
}
