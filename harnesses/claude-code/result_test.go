package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

func TestWhatAResultLineMeans(t *testing.T) {
	failed := func(rest string) string { return `{"type":"result","subtype":"success","is_error":true,` + rest + `}` }
	for _, c := range []struct {
		name    string
		line    string
		reason  harness.Reason
		mention string
	}{
		{"done", wellDone, harness.ReasonOK, ""},
		{"done, with calls that were denied", `{"type":"result","subtype":"success","permission_denials":[{"tool_name":"Bash"}]}`, harness.ReasonOK, ""},
		{"a refusal", `{"type":"result","subtype":"success","stop_reason":"refusal"}`, harness.ReasonRefused, "another model"},
		{"a cut answer", `{"type":"result","subtype":"success","stop_reason":"max_tokens"}`, harness.ReasonTruncated, "in parts"},
		{"a full context", `{"type":"result","subtype":"success","stop_reason":"model_context_window_exceeded"}`, harness.ReasonContextTooLong, "new thread"},
		{"status 401", failed(`"api_error_status":401,"result":"no"`), harness.ReasonBadKey, "ANTHROPIC_API_KEY"},
		{"status 403", failed(`"api_error_status":403,"result":"no"`), harness.ReasonBadKey, "no; give"},
		{"status 402", failed(`"api_error_status":402,"result":"no"`), harness.ReasonNoCredit, "credit"},
		{"status 400 for an empty account", failed(`"api_error_status":400,"result":"Your credit balance is too low"`), harness.ReasonNoCredit, "add credit"},
		{"status 429 for an empty account", failed(`"api_error_status":429,"result":"credit balance"`), harness.ReasonNoCredit, "add credit"},
		{"status 429", failed(`"api_error_status":429,"result":"slow down"`), harness.ReasonRateLimited, "wait"},
		{"status 529, whatever the words", failed(`"api_error_status":529,"result":"Invalid API key"`), harness.ReasonOverloaded, "later"},
		{"status 529", failed(`"api_error_status":529,"result":"busy"`), harness.ReasonOverloaded, "later"},
		{"status 404", failed(`"api_error_status":404,"result":"no such"`), harness.ReasonModelUnknown, "set model"},
		{"status 413", failed(`"api_error_status":413,"result":"big"`), harness.ReasonContextTooLong, "shorter prompt"},
		{"status 400 for a long prompt", failed(`"api_error_status":400,"result":"prompt is too long: 2 > 1"`), harness.ReasonContextTooLong, "2 > 1"},
		{"status 400", failed(`"api_error_status":400,"result":"odd"`), harness.ReasonCrashed, "odd; look"},
		{"a prompt that is never sent", failed(`"terminal_reason":"blocking_limit","result":"Prompt is too long"`), harness.ReasonContextTooLong, "Prompt is too long"},
		{"not signed in", failed(`"result":"Not logged in · Please run /login"`), harness.ReasonBadKey, "auth_mode"},
		{"no connection", failed(`"result":"API Error: Connection refused (ECONNREFUSED)"`), harness.ReasonNetwork, "ANTHROPIC_BASE_URL"},
		{"no words", failed(`"terminal_reason":"odd"`), harness.ReasonCrashed, "success (odd)"},
		{"max turns", `{"type":"result","subtype":"error_max_turns","is_error":true,"errors":["Reached 3"]}`, harness.ReasonMaxTurns, "Reached 3"},
		{"no output that fits", `{"type":"result","subtype":"error_max_structured_output_retries","is_error":true,"errors":["5 times"]}`, harness.ReasonCrashed, "schema: 5 times"},
		{"interrupted by somebody", `{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools"}`, harness.ReasonCanceled, "not by this run"},
		{"a session it doesn't know", `{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No conversation found with session ID: s9"]}`, harness.ReasonSessionUnknown, "files are gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, config{}, harness.Start{Policy: free()}, prints(initLine, c.line), exits(harness.Exit{Known: true, Code: 1}))
			r := p.result(t)
			if r.Reason != c.reason || !strings.Contains(r.Message, c.mention) || (r.Reason == harness.ReasonOK) != (r.Message == "") {
				t.Errorf("result %+v, want %s and %q", r, c.reason, c.mention)
			}
		})
	}
}

// TestTheReasonIsFoundInEachOfTheWords has no status of the API to go by.
func TestTheReasonIsFoundInEachOfTheWords(t *testing.T) {
	for reason, all := range map[harness.Reason][]string{
		harness.ReasonNoCredit: {
			"Your credit balance is too low", "insufficient_quota", "Insufficient credit", "see billing", "Payment Required", "Claude usage limit reached",
		},
		harness.ReasonContextTooLong: {"Prompt is too long", "over the context window", "context length", "input length and `max_tokens` exceed the limit"},
		harness.ReasonBadKey: {
			"Not logged in", "Invalid API key", "Please run /login", "authentication_error", "permission_error", "OAuth token has expired", "This organization has been disabled.",
		},
		harness.ReasonModelUnknown: {"There's an issue with the selected model (x)", "model x was not found", "model: x does not exist"},
		harness.ReasonRateLimited:  {"rate_limit_error", "Rate limit"},
		harness.ReasonOverloaded:   {"Overloaded"},
		harness.ReasonNetwork: {
			"connect ECONNREFUSED", "read ECONNRESET", "getaddrinfo ENOTFOUND", "connect ETIMEDOUT", "EAI_AGAIN", "write EPIPE", "Connection error.", "connection refused",
			"Connection reset", "connection closed", "Unable to connect", "fetch failed", "Request timed out.", "timeout", "self-signed certificate", "network is down",
		},
		harness.ReasonCrashed: {"", "odd"},
	} {
		for _, words := range all {
			if got := classify(0, words); got != reason {
				t.Errorf("%q means %s, want %s", words, got, reason)
			}
		}
	}
}

func TestTheLastResultCountsAndUsageIsSummed(t *testing.T) {
	const since = `"model_usage_since_last_result":{"m":{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":3,"cacheCreationInputTokens":4,"thinkingTokens":5,"costUSD":0.25}}`
	p := play(t, config{}, harness.Start{Policy: free()}, prints(initLine,
		`{"type":"result","subtype":"error_during_execution","is_error":true,"total_cost_usd":9,`+since+`}`,
		`{"type":"result","subtype":"success","total_cost_usd":9,"structured_output":{"n":1},"result":"{\"n\":1}",`+since+`}`))
	want := harness.Result{
		Session: "s1", Reason: harness.ReasonOK, CostUSD: 0.5, Output: []byte(`{"n":1}`),
		Usage: harness.Usage{Input: 2, Output: 4, CacheRead: 6, CacheWrite: 8, Reasoning: 10, Total: 20},
	}
	if diff := cmp.Diff(want, p.result(t)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestWhatWasSeenIsToldWhereNoResultFollowed has one message paid by a result, and
// after it one in pieces, one whole, and one that says nothing of itself.
func TestWhatWasSeenIsToldWhereNoResultFollowed(t *testing.T) {
	p := play(t, config{}, harness.Start{Policy: free()}, prints(initLine,
		`{"type":"assistant","message":{"id":"m1","content":[],"usage":{"input_tokens":1000,"output_tokens":1}}}`,
		`{"type":"result","subtype":"success","result":"x","model_usage_since_last_result":{"m":{"inputTokens":1,"outputTokens":2,"costUSD":0.25}}}`,
		`{"type":"stream_event","event":{"type":"message_start","message":{"id":"m2","usage":{"input_tokens":10,"output_tokens":1,"cache_read_input_tokens":3}}}}`,
		`{"type":"assistant","message":{"id":"m2","content":[],"usage":{"input_tokens":10,"output_tokens":1}}}`,
		`{"type":"stream_event","event":{"type":"message_delta","delta":{},"usage":{"output_tokens":20,"cache_creation_input_tokens":4,"output_tokens_details":{"thinking_tokens":5}}}}`,
		`{"type":"assistant","parent_tool_use_id":"t","message":{"id":"m3","content":[],"usage":{"input_tokens":100,"output_tokens":200}}}`,
		`{"type":"assistant","message":{"id":"m4","content":[]}}`))
	got := p.result(t)
	want := harness.Usage{Input: 111, Output: 222, CacheRead: 3, CacheWrite: 4, Reasoning: 5, Total: 340, Partial: true}
	if diff := cmp.Diff(want, got.Usage); diff != "" || got.CostUSD != 0.25 {
		t.Errorf("cost %v, usage (-want +got)\n%s", got.CostUSD, diff)
	}
}

func TestOutputThatWasAskedForMustCome(t *testing.T) {
	start := harness.Start{Policy: free(), Schema: []byte(`{}`)}
	if r := play(t, config{}, start, prints(initLine, wellDone)).result(t); r.Reason != harness.ReasonCrashed || !strings.Contains(r.Message, "structured output") {
		t.Errorf("result %+v", r)
	}
}

func TestEndsWithoutAResult(t *testing.T) {
	for _, c := range []struct {
		name    string
		lines   []string
		exit    harness.Exit
		reason  harness.Reason
		mention string
	}{
		{"no program", nil, harness.Exit{Known: true, Code: 127}, harness.ReasonCLIMissing, install},
		{"a program for another machine", nil, harness.Exit{Known: true, Code: 126}, harness.ReasonCLIMissing, "built for this machine"},
		{"an option it doesn't know", nil, harness.Exit{Known: true, Code: 1, Stderr: []byte("error: unknown option '--x'")}, harness.ReasonCLITooOld, "--x"},
		{"root", nil, harness.Exit{Known: true, Code: 1, Stderr: []byte("x cannot be used with root/sudo privileges")}, harness.ReasonCrashed, "IS_SANDBOX"},
		{"a session it doesn't know", nil, harness.Exit{Known: true, Code: 1, Stderr: []byte("No conversation found with session ID: s0")}, harness.ReasonSessionUnknown, "session s0 "},
		{"SIGTERM", []string{initLine}, harness.Exit{Known: true, Code: 143}, harness.ReasonCrashed, "SIGTERM"},
		{"SIGTERM as a signal", []string{initLine}, harness.Exit{Known: true, Code: -1, Signal: 15}, harness.ReasonCrashed, "SIGTERM"},
		{"half a line, and dead", []string{initLine, `{"type":"resu` + unfinished}, harness.Exit{Known: true, Code: -1, Signal: 9, Message: "killed by signal 9"}, harness.ReasonOutputCut, "middle of a message"},
		{"half a line before others", []string{initLine, `{"type":"resu`, `{"type":"keep_alive"}`}, harness.Exit{Known: true, Code: 3}, harness.ReasonCrashed, "exit code 3"},
		{"a whole line without its end", []string{initLine, `{"type":"keep_alive"}` + unfinished}, harness.Exit{Known: true, Code: 3}, harness.ReasonCrashed, "exit code 3"},
		{"127 of one that had begun", []string{initLine}, harness.Exit{Known: true, Code: 127}, harness.ReasonCrashed, "exit code 127"},
		{"nobody saw how", []string{initLine}, harness.Exit{Code: -1}, harness.ReasonCrashed, "nobody saw how"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := play(t, config{}, harness.Start{Policy: free(), Session: "s0"}, prints(c.lines...), exits(c.exit)).result(t)
			if r.Reason != c.reason || !strings.Contains(r.Message, c.mention) {
				t.Errorf("result %+v, want %s and %q", r, c.reason, c.mention)
			}
		})
	}
}
