package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/hashicorp/go-hclog"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/guard"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Main is what a plugin's main runs. Exactly one of Provider and Harness is
// set; it is called once, with the configuration.
type Main struct {
	Describe func() (Description, error)
	Log      hclog.Logger // from NewLog
	Provider func(context.Context, Configure) (sandbox.Provider, error)
	Sandbox  sandbox.Sandbox // of a provider: a typed nil pointer; nil: what it says of its sandboxes counts
	Harness  func(context.Context, Configure) (harness.Harness, error)
}

// Exit codes of a plugin's process.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// Run serves until the host lets go of the plugin or dies, and returns the exit
// code. The one argument it knows is "describe".
func (m Main) Run(args []string) int {
	parent := guard.NewParent()
	started := os.Getenv(cookieKey) == cookieValue
	stdout, err := guard.Stdio()
	if err != nil {
		return complain(exitError, "start plugin: %v", err)
	}
	d, err := m.Describe()
	if err != nil {
		return complain(exitError, "describe plugin: %v", err)
	}
	switch {
	case len(args) == 1 && args[0] == "describe":
		guard.DropEnv(cookieKey)
		if err := json.NewEncoder(stdout).Encode(d); err != nil {
			return complain(exitError, "describe plugin: %v", err)
		}
		return exitOK
	case len(args) > 0:
		return complain(exitUsage, "%s knows no argument but \"describe\".", Binary(d.Kind, d.Type))
	case !started:
		return complain(exitUsage, "This is the %s %s, a plugin of Sandlot: it is started by sandlot and not by hand.\n"+
			"Put it into a folder of plugins, or run it with \"describe\" to see what it can do.", d.Type, d.Kind)
	}
	return m.serve(d, parent, stdout)
}

// complain writes to stderr: there is no log yet, and a person may be reading.
func complain(code int, format string, args ...any) int {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	return code
}
