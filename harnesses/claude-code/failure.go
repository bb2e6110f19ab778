package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// judge says what a result line means. is_error counts, not the exit code and
// not the subtype: a failed request of the model API is a "success" there.
func judge(v *verdict, subtype string) (harness.Reason, string) {
	if !v.IsError {
		return stopped(v)
	}
	words := v.Text
	if len(v.Errors) > 0 {
		words = strings.Join(v.Errors, "; ")
	}
	switch {
	case subtype == "error_max_turns" || v.Terminal == "max_turns":
		return harness.ReasonMaxTurns, "the agent made as many model requests as the run may; raise max_turns in the harness block, or go on with another run: " + words
	case noSession(words):
		return harness.ReasonSessionUnknown, unknownSession("")
	case v.Terminal == "blocking_limit":
		return harness.ReasonContextTooLong, words + "; " + advice(harness.ReasonContextTooLong)
	case strings.HasPrefix(v.Terminal, "aborted"):
		return harness.ReasonCanceled, "the agent was interrupted, and not by this run's cancel; run again to go on"
	case strings.HasPrefix(subtype, "error_max_structured_output"):
		return harness.ReasonCrashed, "the agent gave no output that fits the schema: " + words + "; simplify the schema, or say in the prompt what each field should hold"
	}
	reason := classify(v.Status, words)
	text := words
	if text == "" {
		text = fmt.Sprintf("the agent ended with %s (%s)", subtype, v.Terminal)
	}
	return reason, strings.TrimRight(text, ". ") + "; " + advice(reason)
}

// stopped is the end of a turn that isn't an error.
func stopped(v *verdict) (harness.Reason, string) {
	switch v.Stop {
	case "refusal":
		return harness.ReasonRefused, "the model refused to go on; word the task in another way, or take another model"
	case "max_tokens":
		return harness.ReasonTruncated, "the answer was cut at the model's token limit; ask for it in parts"
	case "model_context_window_exceeded":
		return harness.ReasonContextTooLong, "the conversation is over the model's context; " + advice(harness.ReasonContextTooLong)
	}
	return harness.ReasonOK, ""
}

// noSession finds the CLI's words for a session it can't resume.
func noSession(words string) bool { return strings.Contains(words, "No conversation found") }

func unknownSession(id string) string {
	return strings.Join(strings.Fields("Claude Code doesn't know the session "+id), " ") +
		" that was to be resumed: its files are gone from the agent's home; a new session can begin with the conversation so far"
}

// classify finds the reason in an API status and the CLI's words; the first
// match counts: a 429 for an empty account is no_credit, not rate_limited.
func classify(status int, words string) harness.Reason {
	words = strings.ToLower(words)
	for _, c := range []struct {
		from, to int // statuses
		pattern  string
		reason   harness.Reason
	}{
		{402, 402, `credit balance|insufficient.{0,10}(quota|credit)|billing|payment required|usage limit reached`, harness.ReasonNoCredit},
		{401, 401, `not logged in|invalid api key|please run /login|authentication_error|oauth token`, harness.ReasonBadKey},
		{413, 413, `prompt is too long|context (window|length)|input length and .max_tokens. exceed`, harness.ReasonContextTooLong},
		{404, 404, `selected model|model.{0,60}(not found|not exist)`, harness.ReasonModelUnknown},
		{403, 403, `permission_error|organization has been disabled`, harness.ReasonBadKey},
		{429, 429, `rate.?limit`, harness.ReasonRateLimited},
		{500, 599, `overloaded`, harness.ReasonOverloaded},
		{0, 0, `econnrefused|econnreset|enotfound|etimedout|eai_again|epipe|connection (refused|error|reset|closed)|unable to connect|fetch failed|timed? ?out|certificate|network`, harness.ReasonNetwork},
	} {
		if (status > 0 && c.from <= status && status <= c.to) || regexp.MustCompile(c.pattern).MatchString(words) {
			return c.reason
		}
	}
	return harness.ReasonCrashed
}

// advice is what to do about a reason.
func advice(r harness.Reason) string {
	switch r {
	case harness.ReasonBadKey:
		return `give the sandbox a key that works as ANTHROPIC_API_KEY, or sign in with "claude" where the agent runs and set auth_mode = "host"`
	case harness.ReasonNoCredit:
		return "add credit to the account of the key, or take another key"
	case harness.ReasonRateLimited:
		return "wait and run again, or take another model"
	case harness.ReasonOverloaded:
		return "the model's service fails; run again later"
	case harness.ReasonContextTooLong:
		return "begin a new thread, or give a shorter prompt"
	case harness.ReasonModelUnknown:
		return "set model in the harness block to one that the key may use"
	case harness.ReasonNetwork:
		return "check that the sandbox reaches the model API (ANTHROPIC_BASE_URL, proxies, firewalls)"
	}
	return "look at what the agent said last, and run again"
}

// retrying tells a person why nothing happens.
func retrying(r *retry) string {
	why := r.Error
	if r.Status > 0 {
		why = strings.TrimSpace(fmt.Sprintf("%d %s", r.Status, r.Error))
	}
	if why == "" || why == "unknown" {
		why = "an error, or not at all"
	}
	return fmt.Sprintf("the model API answered with %s; retry %d of %d in %.1f s", why, r.Attempt, r.MaxRetries, r.DelayMS/1000)
}
