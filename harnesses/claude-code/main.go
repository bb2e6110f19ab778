package main

import (
	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// version is set by the build.
var version = "dev"

// harnessType names us in the configuration and in RAW events.
const harnessType = "claude-code"

// install is the line that installs the CLI.
const install = "npm install -g @anthropic-ai/claude-code@" + testedTo

// The modes of auth_mode.
const (
	authKey  = "api-key"
	authHost = "host" // the CLI's own login
)

func main() {
	collectLate()
	sdk.ServeHarness(sdk.Harness[config]{
		Type: harnessType, Version: version, Licence: "Apache-2.0",
		Issues: "https://github.com/sandlot-dev/sandlot/issues",
		Traits: harness.Traits{
			Program: "claude", Install: install, TestedFrom: testedFrom, TestedTo: testedTo,
			AuthModes: []harness.Auth{
				{Mode: authKey, Variables: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"}},
				{Mode: authHost},
			},
			ModelHosts:   []string{"api.anthropic.com"},
			Commands:     harness.EnforcesEachCall,
			FileWrites:   harness.EnforcesEachCall,
			NetworkRules: harness.EnforcesEachCall,
			Dirs:         "add_dirs",
			Schemas:      true,
			MCP:          []harness.MCPTransport{harness.MCPHTTP, harness.MCPStdio},
		},
		New: newClaude,
	})
}
