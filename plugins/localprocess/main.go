package main

import (
	"os"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/proctree"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// version is set by the build.
var version = "dev"

func main() {
	sdk.ServeProvider(sdk.Provider[config]{
		Type: "localprocess", Version: version,
		Provider: (*provider)(nil), Sandbox: (*box)(nil), Capabilities: capabilities(), New: newProvider,
		Isolation: sandbox.IsolationNone, KillScope: killScope(),
		Env: []string{"*"}, Licence: "Apache-2.0", Issues: "https://github.com/sandlot-dev/sandlot/issues",
	})
}

// killScope is by what means trees are found on this machine; where that can't be
// told, the lesser one.
func killScope() sandbox.KillScope {
	forest, err := proctree.Open(os.TempDir(), proctree.Options{})
	if err != nil {
		return sandbox.KillMark
	}
	return sandbox.KillScope(forest.Scope())
}

var _ sandbox.Filer = (*box)(nil)
