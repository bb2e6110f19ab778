package harness

import "strings"

// WithHistory puts earlier turns before a prompt, for an agent that begins a new
// session and doesn't know them. Without turns it is the prompt alone.
func WithHistory(prompt string, history []Message) string {
	if len(history) == 0 {
		return prompt
	}
	var b strings.Builder
	b.WriteString(historyBegins + "\n\n")
	for _, m := range history {
		b.WriteString("[" + m.Role + "]\n" + strings.TrimSpace(m.Text) + "\n\n")
	}
	b.WriteString(promptBegins + "\n" + prompt)
	return b.String()
}

// What stands before the earlier turns, and before the prompt that follows them.
const (
	historyBegins = "The conversation so far:"
	promptBegins  = "[user, now]"
)
