package main

import "github.com/sandlot-dev/sandlot/sdk/harness"

// promptOf is what the agent is told. Without a session to resume it gets the
// earlier turns too.
func promptOf(start *harness.Start) string {
	if start.Session != "" {
		return start.Prompt
	}
	return harness.WithHistory(start.Prompt, start.History)
}
