package main

import (
	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// version is set by the build.
var version = "dev"

func main() {
	sdk.ServeProvider(sdk.Provider[config]{
		Type: "docker", Version: version,
		Provider: (*provider)(nil), Sandbox: (*box)(nil), Capabilities: capabilities(), New: newProvider,
		Isolation: sandbox.IsolationContainer, KillScope: sandbox.KillMark,
		Env: []string{
			"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "DOCKER_API_VERSION", "XDG_RUNTIME_DIR",
		},
		Licence: "Apache-2.0", Issues: "https://github.com/sandlot-dev/sandlot/issues",
	})
}

// What types decide of the capabilities.
var (
	_ sandbox.Filer        = (*box)(nil)
	_ sandbox.Porter       = (*box)(nil)
	_ sandbox.Snapshotable = (*box)(nil)
	_ sandbox.Forker       = (*box)(nil)
	_ sandbox.Snapshotter  = (*provider)(nil)
)

func capabilities() sandbox.Capabilities {
	return sandbox.Capabilities{
		Files: true, WritableStdin: true, KillableProcesses: true, DurableFilesystem: true, PTY: true,
		NetworkPolicy: sandbox.NetworkDenyAll, Disruption: sandbox.DisruptionPause,
	}
}
