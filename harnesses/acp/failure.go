package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// rpcError is how an agent refuses a request. Data often holds the only words
// that say why, so it is kept.
type rpcError struct {
	Code    int64
	Message string
	Data    json.RawMessage
}

// parseError reads an error member leniently: whatever it holds, there is one.
func parseError(raw json.RawMessage) *rpcError {
	if isNull(raw) {
		return nil
	}
	var e struct {
		Code    json.RawMessage `json:"code"`
		Message json.RawMessage `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(raw, &e); err != nil || isNull(e.Message) {
		return &rpcError{Message: plain(raw)}
	}
	out := &rpcError{Message: plain(e.Message), Data: e.Data}
	_ = json.Unmarshal(e.Code, &out.Code) // a code that is no number says nothing
	return out
}

// Error gives the agent's words: message, data verbatim, code.
func (e *rpcError) Error() string {
	var b strings.Builder
	b.WriteString(e.Message)
	if !isNull(e.Data) {
		if data := plain(e.Data); data != e.Message {
			b.WriteString(": " + data)
		}
	}
	if e.Code != 0 {
		fmt.Fprintf(&b, " (code %d)", e.Code)
	}
	return b.String()
}

// plain is the text of a JSON string, or the JSON itself.
func plain(raw json.RawMessage) string {
	var text string
	if err := json.Unmarshal(raw, &text); err == nil {
		return text
	}
	return string(raw)
}

// codeAuthRequired is ACP's own code for "sign in first".
const codeAuthRequired = -32000

// classify finds the reason in an agent's words. There is no code for most of
// them, and agents wrap the model API's answer in texts of their own. The first
// match counts: a 429 for an empty account is no_credit, not rate_limited.
func classify(e *rpcError) harness.Reason {
	if e.Code == codeAuthRequired {
		return harness.ReasonBadKey
	}
	words := strings.ToLower(e.Error())
	for _, c := range []struct {
		pattern string
		reason  harness.Reason
	}{
		{`credit|insufficient[_ ]quota|billing|payment required|\b402\b`, harness.ReasonNoCredit},
		{`\b401\b|\b403\b|unauthorized|authenticat|api[_ -]?key|not logged in|please log ?in|forbidden|(bad|invalid|incorrect|expired) (key|token|credentials)`, harness.ReasonBadKey},
		{`\b429\b|rate[_ -]?limit|too many requests`, harness.ReasonRateLimited},
		{`context[_ -]?(length|window)|context.{0,40}(too long|exceed)|prompt is too long|maximum context`, harness.ReasonContextTooLong},
		{`model[_ -]not[_ -]found|(unknown|invalid|unsupported|no such) model|model\b.{0,120}(not found|does not exist|doesn't exist|not exist|not supported|not available)`, harness.ReasonModelUnknown},
		{`overloaded|\b529\b|\b503\b|service unavailable|status\W{1,4}5\d\d\b|internal server error|bad gateway|gateway time-?out`, harness.ReasonOverloaded},
		{`connection (refused|reset|error)|econnrefused|econnreset|enotfound|etimedout|no such host|dns|network|fetch failed|unable to connect|could not connect`, harness.ReasonNetwork},
	} {
		if regexp.MustCompile(c.pattern).MatchString(words) {
			return c.reason
		}
	}
	return harness.ReasonCrashed
}
