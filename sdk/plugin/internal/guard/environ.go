package guard

import (
	"os"
	"strings"
)

// DropEnv removes the variables of the handshake, so that no child of the
// plugin mistakes itself for one or learns of the connection.
func DropEnv(cookie string) {
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if name == cookie || name == HostPID || strings.HasPrefix(name, "PLUGIN_") {
			_ = os.Unsetenv(name) // it fails only for a name that can't exist
		}
	}
}

// HostPID names the variable that holds the host's process id.
const HostPID = "SANDLOT_HOST_PID"
