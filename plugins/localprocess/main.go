package main

import (
	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// version is set by the build.
var version = "dev"

func main() {
	sdk.ServeProvider(sdk.Provider[config]{
		Type: "localprocess", Version: version,
		Provider: (*provider)(nil), Sandbox: (*box)(nil), Capabilities: capabilities(), New: newProvider,
		Env: []string{"*"}, Licence: "Apache-2.0", Issues: "https://github.com/sandlot-dev/sandlot/issues",
	})
}

var _ sandbox.Filer = (*box)(nil)
