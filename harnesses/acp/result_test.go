package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

func TestStopReasons(t *testing.T) {
	deny := []step{prints(hello, opened, asks("0", `"title":"rm x"`, fourOptions)), decides(harness.Decision{Reason: "by rule commands.deny"})}
	allow := []step{prints(hello, opened, asks("0", `"title":"rm x"`, fourOptions)), decides(harness.Decision{Allow: true})}
	plain := []step{prints(hello, opened)}
	for _, c := range []struct {
		name    string
		before  []step
		result  string
		reason  harness.Reason
		mention string
	}{
		{"end_turn", plain, `{"stopReason":"end_turn"}`, harness.ReasonOK, ""},
		{"end_turn after a denial", deny, `{"stopReason":"end_turn"}`, harness.ReasonOK, ""},
		{"cancelled after a denial", deny, `{"stopReason":"cancelled"}`, harness.ReasonDenied, "rm x (by rule commands.deny)"},
		{"cancelled after an allowance", allow, `{"stopReason":"cancelled"}`, harness.ReasonCanceled, "canceled its turn"},
		{"cancelled after a denial and our cancel", append(deny, cancels), `{"stopReason":"cancelled"}`, harness.ReasonCanceled, "the run was canceled"},
		{"end_turn after our cancel", append(plain, cancels), `{"stopReason":"end_turn"}`, harness.ReasonCanceled, "the run was canceled"},
		{"refusal", plain, `{"stopReason":"refusal"}`, harness.ReasonRefused, "refused"},
		{"max_tokens", plain, `{"stopReason":"max_tokens"}`, harness.ReasonTruncated, "token limit"},
		{"max_turn_requests", plain, `{"stopReason":"max_turn_requests"}`, harness.ReasonMaxTurns, "model requests"},
		{"one we don't know", plain, `{"stopReason":"bored"}`, harness.ReasonCrashed, `"bored"`},
		{"none", plain, `null`, harness.ReasonCrashed, "without a stop reason"},
		{"an odd answer", plain, `[1]`, harness.ReasonCrashed, "without a stop reason"},
	} {
		t.Run(c.name, func(t *testing.T) {
			steps := append(append([]step{}, c.before...), prints(`{"jsonrpc":"2.0","id":3,"result":`+c.result+`}`))
			p := play(t, config{}, harness.Start{}, steps...)
			r := p.result(t)
			if r.Reason != c.reason || !strings.Contains(r.Message, c.mention) || r.Session != "s1" {
				t.Errorf("result %+v, want %s and %q", r, c.reason, c.mention)
			}
			if got := p.methods(t); got[len(got)-1] != "EOF" {
				t.Errorf("stdin %v, want its end last", got)
			}
		})
	}
}

func TestErrorsKeepTheAgentsWords(t *testing.T) {
	for _, c := range []struct {
		err    string
		reason harness.Reason
		want   string
	}{
		{`{"code":-32000,"message":"Authentication required"}`, harness.ReasonBadKey, "Authentication required (code -32000)"},
		{`{"code":401,"message":"No"}`, harness.ReasonBadKey, "No (code 401)"},
		{`{"code":-32603,"message":"Internal error","data":"Unauthorized (401) from http://127.0.0.1:4290/v1"}`, harness.ReasonBadKey, "Internal error: Unauthorized (401) from"},
		{`{"code":-32603,"message":"Internal error: invalid x-api-key","data":{"service": "session"}}`, harness.ReasonBadKey, `{"service": "session"}`},
		{`{"code":-32603,"message":"bad key"}`, harness.ReasonBadKey, "bad key"},
		{`{"code":-32603,"message":"Internal error","data":{"http_status":429}}`, harness.ReasonRateLimited, `{"http_status":429}`},
		{`{"code":-32603,"message":"rate_limit_error: slow down"}`, harness.ReasonRateLimited, "slow down"},
		{`{"code":429,"message":"You exceeded your current quota: insufficient_quota"}`, harness.ReasonNoCredit, "insufficient_quota"},
		{`{"code":-32603,"message":"Your credit balance is too low"}`, harness.ReasonNoCredit, "credit balance"},
		{`{"code":-32603,"message":"prompt is too long: 210000 tokens > 200000 maximum"}`, harness.ReasonContextTooLong, "210000"},
		{`{"code":-32603,"message":"context_length_exceeded"}`, harness.ReasonContextTooLong, "context_length_exceeded"},
		{`{"code":-32603,"message":"The model gpt-99 does not exist"}`, harness.ReasonModelUnknown, "gpt-99"},
		{`{"code":-32602,"message":"unknown model"}`, harness.ReasonModelUnknown, "unknown model"},
		{`{"code":-32603,"message":"API Error: 529 overloaded_error"}`, harness.ReasonOverloaded, "529"},
		{`{"code":-32603,"message":"Internal error","data":{"message":"API error (status 500 Internal Server Error): boom","http_status":500}}`, harness.ReasonOverloaded, "boom"},
		{`{"code":-32603,"message":"Internal error","data":{"http_status":502}}`, harness.ReasonOverloaded, "502"},
		{`{"code":-32603,"message":"503 Service Unavailable"}`, harness.ReasonOverloaded, "503"},
		{`{"code":-32603,"message":"connect ECONNREFUSED 127.0.0.1:8080"}`, harness.ReasonNetwork, "ECONNREFUSED"},
		{`{"code":-32603,"message":"dial tcp: connection refused"}`, harness.ReasonNetwork, "refused"},
		{`{"code":-32603,"message":"Internal error","data":"line 4290 of port 5031"}`, harness.ReasonCrashed, "port 5031"},
		{`{"code":"odd","message":null}`, harness.ReasonCrashed, `{"code":"odd","message":null}`},
		{`"just text"`, harness.ReasonCrashed, "just text"},
		{`{"code":1e99,"message":"big"}`, harness.ReasonCrashed, "big"},
	} {
		t.Run(c.want, func(t *testing.T) {
			p := play(t, config{}, harness.Start{}, prints(hello, opened, `{"jsonrpc":"2.0","id":3,"error":`+c.err+`}`))
			r := p.result(t)
			if r.Reason != c.reason || !strings.Contains(r.Message, c.want) {
				t.Errorf("result %+v, want %s and %q", r, c.reason, c.want)
			}
		})
	}
}

func TestAnErrorWithoutAnIDIsAWarning(t *testing.T) {
	p := play(t, config{}, harness.Start{}, prints(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`))
	if got := strings.Join(brief(p.decoded(t)), "\n"); !strings.Contains(got, "Parse error (code -32700)") {
		t.Errorf("events %s, want a warning with the error", got)
	}
}

func TestExits(t *testing.T) {
	stderr := []byte("1\n2\n3\n" + strings.Repeat("more\n", 18) + "last words\n")
	for _, c := range []struct {
		name     string
		lines    []string
		exit     harness.Exit
		reason   harness.Reason
		mentions []string
		never    string
	}{
		{"not found", nil, harness.Exit{Code: 127, Known: true, Message: "exit code 127", Stderr: []byte("sh: agent: not found\n")}, harness.ReasonCLIMissing, []string{"agent was not found (exit code 127)", "install agent", "sh: agent: not found"}, ""},
		{"not executable", nil, harness.Exit{Code: 126, Known: true}, harness.ReasonCLIMissing, []string{"can't be executed (exit code 126)", "permissions"}, ""},
		{"127 of an agent that had started", []string{hello}, harness.Exit{Code: 127, Known: true}, harness.ReasonCrashed, []string{"exit code 127"}, ""},
		{"a failure", []string{hello}, harness.Exit{Code: 3, Known: true, Stderr: stderr}, harness.ReasonCrashed, []string{"ended before it answered (exit code 3)", "3\nmore\n", "last words"}, "2\n3"},
		{"half a line, and dead", []string{hello, `{"jsonrpc":"2.` + unfinished}, harness.Exit{Code: -1, Signal: 9, Known: true}, harness.ReasonOutputCut, []string{"middle of a message", "killed by signal 9"}, ""},
		{"a signal", []string{hello, opened}, harness.Exit{Code: -1, Signal: 9, Known: true}, harness.ReasonCrashed, []string{"killed by signal 9", "nothing to stderr"}, ""},
		{"the host's own words", []string{hello}, harness.Exit{Code: 137, Known: true, Message: "exit code 137, probably signal 9"}, harness.ReasonCrashed, []string{"probably signal 9"}, ""},
		{"nobody saw it", []string{hello}, harness.Exit{Code: -1}, harness.ReasonCrashed, []string{"nobody saw how"}, ""},
		{"exit 0 without an answer", []string{hello, opened}, harness.Exit{Known: true}, harness.ReasonCrashed, []string{"before it answered (exit code 0)"}, ""},
		{"killed after the answer", []string{hello, opened, endTurn}, harness.Exit{Code: -1, Signal: 15, Known: true, Stderr: stderr}, harness.ReasonOK, nil, "last words"},
		{"stderr that is no text", []string{hello}, harness.Exit{Code: 1, Known: true, Stderr: []byte("\xff\xfe!")}, harness.ReasonCrashed, []string{"\uFFFD!"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, config{}, harness.Start{}, prints(c.lines...), exits(c.exit))
			r := p.result(t)
			if r.Reason != c.reason || (c.never != "" && strings.Contains(r.Message, c.never)) {
				t.Errorf("result %+v, want %s without %q", r, c.reason, c.never)
			}
			for _, m := range c.mentions {
				if !strings.Contains(r.Message, m) {
					t.Errorf("the message doesn't mention %q: %s", m, r.Message)
				}
			}
		})
	}
}

func TestWhatComesAfterTheAnswerIsRead(t *testing.T) {
	late := `{"jsonrpc":"2.0","method":"session/update","params":{"update":` + said("PS") + `}}`
	p := play(t, config{}, harness.Start{}, prints(hello, opened, endTurn, late))
	if got := strings.Join(brief(p.decoded(t)), "\n"); !strings.Contains(got, "text 1 PS") {
		t.Errorf("events:\n%s\nwant the late text", got)
	}
	if r := p.result(t); r.Reason != harness.ReasonOK {
		t.Errorf("result %+v, want ok", r)
	}
}

func TestErrorTextWithoutData(t *testing.T) {
	e := parseError(json.RawMessage(`{"code":1,"message":"same","data":"same"}`))
	if got := e.Error(); got != "same (code 1)" {
		t.Errorf("error %q says it twice", got)
	}
}
