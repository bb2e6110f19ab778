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

	// What the messages since the last result said of themselves, by their ids. A
	// result's own figures take its place.
	seen map[string]apiUsage
}

// see notes what a message says that it has used so far.
func (s *spent) see(message string, u apiUsage) {
	if message == "" || u == (apiUsage{}) {
		return
	}
	if s.seen == nil {
		s.seen = map[string]apiUsage{}
	}
	before := s.seen[message]
	u.Input, u.Output = max(u.Input, before.Input), max(u.Output, before.Output)
	u.CacheRead, u.CacheWrite = max(u.CacheRead, before.CacheRead), max(u.CacheWrite, before.CacheWrite)
	u.Details.Thinking = max(u.Details.Thinking, before.Details.Thinking)
	s.seen[message] = u
}

// total is what is known at the end. Messages that no result followed make it
// partial.
func (s *spent) total() harness.Usage {
	whole := *s
	for _, u := range s.seen {
		whole.count(u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Details.Thinking)
		whole.usage.Partial = true
	}
	return whole.usage
}

func (s *spent) add(v *verdict) {
	s.seen = nil
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
