// Command sandlot-harness-asking is a harness whose agent asks before it runs a
// command, and says itself what went wrong. The agent is a shell script kept
// beside it: its prompt is a file, and its stdin takes the answers.
package main

import (
	"context"
	_ "embed"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

//go:embed agent.sh
var script []byte

func main() {
	sdk.ServeHarness(sdk.Harness[struct{}]{
		Type: "asking", Version: "0.1.0", Licence: "Apache-2.0",
		Traits: harness.Traits{Program: "sh", Commands: harness.EnforcesByAsking, FileWrites: harness.EnforcesNot, NetworkRules: harness.EnforcesNot},
		New:    func(context.Context, struct{}, sdk.Host) (harness.Harness, error) { return asking{}, nil },
	})
}
