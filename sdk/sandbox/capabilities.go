package sandbox

// NetworkPolicy is what a provider can enforce on outgoing traffic.
type NetworkPolicy string

// The levels of network enforcement.
const (
	NetworkNone      NetworkPolicy = "none"
	NetworkDenyAll   NetworkPolicy = "deny_all"
	NetworkAllowList NetworkPolicy = "allow_list"
)

// Capabilities is what a provider or a sandbox can do. Nothing counts as true
// until the conformance suite has tried it both ways.
type Capabilities struct {
	Files             bool          `json:"fs"`                 // Filer; made by the SDK from the sandbox's type
	Ports             bool          `json:"ports"`              // Porter; made by the SDK
	Snapshots         bool          `json:"snapshots"`          // Snapshotable, and the provider a Snapshotter; made by the SDK
	Forks             bool          `json:"fork"`               // Forker; made by the SDK
	Keeps             bool          `json:"keep_alive"`         // Keeper; made by the SDK
	WritableStdin     bool          `json:"writable_stdin"`     // stdin can be written while output goes on
	KillableProcesses bool          `json:"killable_processes"` // Kill ends the whole tree
	DurableFilesystem bool          `json:"durable_filesystem"` // files survive a stop
	PTY               bool          `json:"pty"`                // Command.TTY works
	BrokersSecrets    bool          `json:"brokers_secrets"`    // keeps secrets out of the sandbox
	NetworkPolicy     NetworkPolicy `json:"network_policy"`
	Disruption        Disruption    `json:"disruption"` // of a snapshot or fork; empty where there is neither
}

// As returns the optional interface T of sb, for example As[Filer](sb), or an
// error of class Unsupported that names it. A remote sandbox has the methods of
// every optional interface, so its capabilities are asked too.
func As[T any](sb Sandbox) (T, error) {
	name, flag := "this", true
	switch can := sb.Info().Capabilities; any((*T)(nil)).(type) {
	case *Filer:
		name, flag = "fs", can.Files
	case *Porter:
		name, flag = "ports", can.Ports
	case *Snapshotable:
		name, flag = "snapshots", can.Snapshots
	case *Forker:
		name, flag = "fork", can.Forks
	case *Keeper:
		name, flag = "keep_alive", can.Keeps
	}
	if t, ok := sb.(T); ok && flag {
		return t, nil
	}
	var none T
	return none, &Error{
		Class: Unsupported, Capability: name,
		Message: "sandbox " + sb.ID() + " does not support the " + name + " capability",
	}
}
