package main

// config is the body of a `harness "claude-code"` block. Model and auth_mode
// belong to the host and come with the Start message.
type config struct {
	Command            []string          `hcl:"command,optional" doc:"The CLI's program and arguments that go before all others. Without it: claude, from the sandbox's PATH." example:"[\"/opt/claude/claude\"]"`
	MaxTurns           int               `hcl:"max_turns,optional" doc:"Model requests that one run may make; 0: no limit."`
	SystemPrompt       string            `hcl:"system_prompt,optional" doc:"Replaces the agent's own system prompt."`
	AppendSystemPrompt string            `hcl:"append_system_prompt,optional" doc:"Is added to the end of the system prompt."`
	Effort             string            `hcl:"effort,optional" doc:"How much the model thinks: low, medium, high, xhigh or max. Without it the model's default."`
	Env                map[string]string `hcl:"env,optional" doc:"Environment of the agent, beside what the workspace gives it. It wins over what this harness sets."`
	AddDirs            []string          `hcl:"add_dirs,optional" doc:"More directories that the agent's file tools may use, as absolute paths in the sandbox."`
}

// program is what is started.
func (c config) command() []string {
	if len(c.Command) == 0 {
		return []string{"claude"}
	}
	return c.Command
}
