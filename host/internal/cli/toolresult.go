package cli

import (
	"encoding/json"
	"fmt"
	"strings"
)

// readable turns a tool's result into text for a person. Agents answer in many
// shapes: plain text, an object with the output in it, a list of content blocks.
// What isn't known is shown as it is.
func readable(content string) string {
	trimmed := strings.TrimSpace(content)
	if !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[") {
		return content
	}
	var v any
	if json.Unmarshal([]byte(trimmed), &v) != nil {
		return content
	}
	if s, ok := textOf(v); ok {
		return s
	}
	return content
}

// textOf finds the text of a decoded result.
func textOf(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []any:
		var all []string
		for _, item := range v {
			if s, ok := textOf(item); ok && s != "" {
				all = append(all, s)
			}
		}
		return strings.Join(all, "\n"), len(all) > 0
	case map[string]any:
		if v["type"] == "diff" {
			return diffOf(v), true
		}
		for _, key := range []string{"output", "stdout", "aggregated_output", "text", "content"} {
			if inner, ok := v[key]; ok {
				return textOf(inner)
			}
		}
	}
	return "", false
}

// diffOf says how much of a file a diff block changes.
func diffOf(v map[string]any) string {
	before, _ := v["oldText"].(string)
	after, _ := v["newText"].(string)
	count := func(s string) int {
		n := strings.Count(s, "\n")
		if s != "" && !strings.HasSuffix(s, "\n") {
			n++
		}
		return n
	}
	lines := func(n int) string {
		if n == 1 {
			return "1 line"
		}
		return fmt.Sprintf("%d lines", n)
	}
	if before == "" {
		return lines(count(after)) + " written"
	}
	return fmt.Sprintf("%s became %d", lines(count(before)), count(after))
}
