package main

import (
	"encoding/json"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// usageUpdate keeps how full the context is, for agents that tell no more, and
// what the session has cost.
func (t *turn) usageUpdate(u update) {
	if used := (numbers{"used": u.Used}).first("used"); used > 0 && t.usage.Input == 0 {
		t.usage.Total = int64(used)
	}
	var cost struct {
		Amount   float64 `json:"amount"`
		Currency string  `json:"currency"`
	}
	if json.Unmarshal(u.Cost, &cost) == nil && cost.Currency == "USD" {
		t.cost = cost.Amount
	}
}

// promptUsage is the usage in the answer to a prompt; grok puts it under _meta.
func promptUsage(result json.RawMessage) (harness.Usage, bool) {
	var r struct {
		Usage json.RawMessage `json:"usage"`
		Meta  json.RawMessage `json:"_meta"`
	}
	if json.Unmarshal(result, &r) != nil {
		return harness.Usage{}, false
	}
	var meta struct {
		Usage json.RawMessage `json:"usage"`
	}
	_ = json.Unmarshal(r.Meta, &meta) // other shapes hold no usage
	for _, raw := range []json.RawMessage{r.Usage, meta.Usage, r.Meta} {
		var n numbers
		if json.Unmarshal(raw, &n) != nil {
			continue
		}
		u := harness.Usage{
			Input:      int64(n.first("inputTokens", "input_tokens")),
			Output:     int64(n.first("outputTokens", "output_tokens")),
			CacheRead:  int64(n.first("cachedReadTokens", "cachedInputTokens", "cache_read_input_tokens")),
			CacheWrite: int64(n.first("cachedWriteTokens", "cacheCreationTokens", "cache_creation_input_tokens")),
			Reasoning:  int64(n.first("thoughtTokens", "reasoningTokens", "reasoning_tokens")),
			Total:      int64(n.first("totalTokens", "total_tokens")),
		}
		if u != (harness.Usage{}) {
			return u, true
		}
	}
	return harness.Usage{}, false
}

// numbers is an object of which some members are numbers.
type numbers map[string]json.RawMessage

func (n numbers) first(keys ...string) float64 {
	for _, key := range keys {
		var v float64
		if raw, ok := n[key]; ok && json.Unmarshal(raw, &v) == nil && v > 0 {
			return v
		}
	}
	return 0
}
