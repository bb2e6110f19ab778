package main

import "github.com/sandlot-dev/sandlot/sdk/harness"

// apiUsage counts tokens as the model API does: input is without the cache.
type apiUsage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	Details    struct {
		Thinking int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// modelUsages is what each model was used since the last result, by subagents
// too. Newer CLIs tell it; it is empty, not absent, where nothing was used.
type modelUsages map[string]struct {
	Input      int64   `json:"inputTokens"`
	Output     int64   `json:"outputTokens"`
	CacheRead  int64   `json:"cacheReadInputTokens"`
	CacheWrite int64   `json:"cacheCreationInputTokens"`
	Thinking   int64   `json:"thinkingTokens"`
	Cost       float64 `json:"costUSD"`
}

// spent sums over the results of a run. The CLI's own totals are those of the
// session, with the runs before, where it was resumed.
type spent struct {
	usage harness.Usage
	cost  float64
}

func (s *spent) add(v *verdict) {
	if v.Since == nil {
		u := v.Usage
		s.count(u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Details.Thinking)
		s.cost = v.Cost
		return
	}
	for _, m := range v.Since {
		s.count(m.Input, m.Output, m.CacheRead, m.CacheWrite, m.Thinking)
		s.cost += m.Cost
	}
}

func (s *spent) count(input, output, cacheRead, cacheWrite, thinking int64) {
	u := &s.usage
	u.Input += input
	u.Output += output
	u.CacheRead += cacheRead
	u.CacheWrite += cacheWrite
	u.Reasoning += thinking
	u.Total += input + output + cacheRead + cacheWrite
}
