package main

// config is the body of a `harness "acp"` block. Model and auth_mode belong to
// the host and come with the Start message.
type config struct {
	Command    []string          `hcl:"command" doc:"The agent's program and its arguments." example:"[\"opencode\", \"acp\"]"`
	Env        map[string]string `hcl:"env,optional" doc:"Environment of the agent, beside what the workspace gives it."`
	AuthMethod string            `hcl:"auth_method,optional" doc:"Id of the authentication method to use, one that the agent offers. Without it none is used."`
	Mode       string            `hcl:"mode,optional" doc:"Id of the session mode to switch to, one that the agent offers. Many agents ask for permission only in one of them."`
}
