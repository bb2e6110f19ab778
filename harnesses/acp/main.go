package main

import (
	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// version is set by the build.
var version = "dev"

func main() {
	sdk.ServeHarness(sdk.Harness[config]{
		Type: harnessType, Version: version, Licence: "Apache-2.0",
		Issues: "https://github.com/sandlot-dev/sandlot/issues",
		Traits: harness.Traits{
			AuthModes:    []harness.Auth{{Mode: "api-key"}, {Mode: "host"}},
			Commands:     harness.EnforcesByAsking,
			FileWrites:   harness.EnforcesByAsking,
			NetworkRules: harness.EnforcesByAsking,
			MCP:          []harness.MCPTransport{harness.MCPHTTP, harness.MCPStdio},
		},
		New: newACP,
	})
}
