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
		" that was to be resumed: its files are gone from the agent's home"
}

// classify finds the reason in an API status and the CLI's words. What an empty
// account or a long prompt gets is told only by words; else the status counts.
func classify(status int, words string) harness.Reason {
	words = strings.ToLower(words)
	if r := byWords(words, harness.ReasonNoCredit, harness.ReasonContextTooLong); r != "" {
		return r
	}
	switch {
	case status == 401, status == 403:
		return harness.ReasonBadKey
	case status == 402:
		return harness.ReasonNoCredit
	case status == 404:
		return harness.ReasonModelUnknown
	case status == 413:
		return harness.ReasonContextTooLong
	case status == 429:
		return harness.ReasonRateLimited
	case status >= 500:
		return harness.ReasonOverloaded
	}
	if r := byWords(words, harness.ReasonBadKey, harness.ReasonModelUnknown, harness.ReasonRateLimited,
		harness.ReasonOverloaded, harness.ReasonNetwork); r != "" {
		return r
	}
	return harness.ReasonCrashed
}

// byWords is the first of the reasons whose words are there; empty: none.
func byWords(words string, reasons ...harness.Reason) harness.Reason {
	patterns := map[harness.Reason]string{
		harness.ReasonNoCredit:       `credit balance|insufficient.{0,10}(quota|credit)|billing|payment required|usage limit reached`,
		harness.ReasonContextTooLong: `prompt is too long|context (window|length)|input length and .max_tokens. exceed`,
		harness.ReasonBadKey:         `not logged in|invalid api key|please run /login|authentication_error|permission_error|oauth token|organization has been disabled`,
		harness.ReasonModelUnknown:   `selected model|model.{0,60}(not found|not exist)`,
		harness.ReasonRateLimited:    `rate.?limit`,
		harness.ReasonOverloaded:     `overloaded`,
		harness.ReasonNetwork:        `econnrefused|econnreset|enotfound|etimedout|eai_again|epipe|connection (refused|error|reset|closed)|unable to connect|fetch failed|timed? ?out|certificate|network`,
	}
	for _, r := range reasons {
		if regexp.MustCompile(patterns[r]).MatchString(words) {
			return r
		}
	}
	return ""
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
