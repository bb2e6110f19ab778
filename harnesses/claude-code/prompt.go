package main

import (
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// promptOf is what the agent is told. Without a session to resume it gets the
// earlier turns too.
func promptOf(start *harness.Start) string {
	if start.Session != "" || len(start.History) == 0 {
		return start.Prompt
	}
	var b strings.Builder
	b.WriteString("The conversation so far:\n\n")
	for _, m := range start.History {
		b.WriteString("[" + m.Role + "]\n" + strings.TrimSpace(m.Text) + "\n\n")
	}
	b.WriteString("[user, now]\n" + start.Prompt)
	return b.String()
}
