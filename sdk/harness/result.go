package harness

import "encoding/json"

// Result is how the agent's turn ended.
type Result struct {
	Session string          // the agent's own session id, to resume later; empty: none
	Usage   Usage           // tokens
	CostUSD float64         // 0: unknown
	Output  json.RawMessage // structured output; nil: none
	Reason  Reason          // never empty
	Message string          // for the person: what happened and what to do; empty with ReasonOK
}

// Usage counts tokens; 0 where the agent doesn't tell.
type Usage struct {
	Input      int64 `json:"input,omitempty"`
	Output     int64 `json:"output,omitempty"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	Reasoning  int64 `json:"reasoning,omitempty"`
	Total      int64 `json:"total,omitempty"`

	// Partial says that the agent was ended before it told, so that this is what was
	// seen of it: the least it used.
	Partial bool `json:"partial,omitempty"`
}

// Reason is why a turn ended; the set is closed.
type Reason string

// The reasons a harness may give.
const (
	ReasonOK             Reason = "ok"
	ReasonDenied         Reason = "denied"
	ReasonBadKey         Reason = "bad_key"
	ReasonNoCredit       Reason = "no_credit"
	ReasonRateLimited    Reason = "rate_limited"
	ReasonOverloaded     Reason = "overloaded"
	ReasonContextTooLong Reason = "context_too_long"
	ReasonModelUnknown   Reason = "model_unknown"
	ReasonNetwork        Reason = "network"
	ReasonCLIMissing     Reason = "cli_missing"
	ReasonCLITooOld      Reason = "cli_too_old"
	ReasonCrashed        Reason = "crashed"
	ReasonTruncated      Reason = "truncated"
	ReasonMaxTurns       Reason = "max_turns"
	ReasonRefused        Reason = "refused"
	ReasonCanceled       Reason = "canceled"

	// ReasonSessionUnknown says that the agent doesn't know the session it was
	// to resume, and did nothing: the prompt can be sent again, with the history
	// and without the session.
	ReasonSessionUnknown Reason = "session_unknown"

	// ReasonOutputCut says that the agent ended without a result in the middle of
	// what it printed; see Lines.Cut.
	ReasonOutputCut Reason = "output_cut"
)

// The reasons that the host adds.
const (
	ReasonStartupTimeout  Reason = "startup_timeout"
	ReasonIdleTimeout     Reason = "idle_timeout"
	ReasonRunTimeout      Reason = "run_timeout"
	ReasonHarnessSilent   Reason = "harness_silent"
	ReasonReplayDiverged  Reason = "replay_diverged"
	ReasonAgentLost       Reason = "agent_lost"
	ReasonPluginCrashed   Reason = "plugin_crashed"
	ReasonSandboxGone     Reason = "sandbox_gone"
	ReasonOOM             Reason = "oom"
	ReasonBootstrapFailed Reason = "bootstrap_failed"
)
