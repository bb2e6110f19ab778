// Command sandlot-provider-minimal is the smallest provider there can be. A
// sandbox of it is a folder of this machine; what runs in it are process trees,
// which sdk/processes starts and finds again, and its files are reached through
// its shell by sdk/shellfs. There is no isolation.
package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/processes"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func main() {
	sdk.ServeProvider(sdk.Provider[config]{
		Type: "minimal", Version: "0.1.0", Licence: "Apache-2.0",
		Provider: (*provider)(nil), Sandbox: (*box)(nil), New: newProvider,
		Capabilities: processes.Capabilities(), Isolation: sandbox.IsolationNone,
	})
}

type config struct {
	Dir string `hcl:"dir,optional" doc:"Absolute folder that the sandboxes are kept in; the host's own without it." example:"\"/srv/sandboxes\""`
}

func newProvider(_ context.Context, c config, host sdk.Host) (sandbox.Provider, error) {
	if c.Dir == "" {
		c.Dir = filepath.Join(host.Home, "minimal")
	}
	if !filepath.IsAbs(c.Dir) {
		return nil, &sandbox.Error{Class: sandbox.Invalid, Attribute: "dir", Message: "dir must be an absolute path"}
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, &sandbox.Error{Class: sandbox.Invalid, Attribute: "dir", Message: err.Error()}
	}
	dir, err := filepath.EvalSymlinks(c.Dir) // Info promises real paths
	return &provider{dir, host.Owner}, err
}
