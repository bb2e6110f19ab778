package sandbox

import "fmt"

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
	Disruption        Disruption    `json:"disruption,omitempty"` // of a snapshot or fork; empty where there is neither
}

// Of is c with the flags that types decide, so that an author can neither promise
// nor hide them by mistake: those of the optional interfaces of a provider and of
// its sandboxes. Both may be typed nil pointers.
func (c Capabilities) Of(p Provider, sb Sandbox) Capabilities {
	_, c.Files = sb.(Filer)
	_, c.Ports = sb.(Porter)
	_, keeps := p.(Snapshotter)
	_, c.Snapshots = sb.(Snapshotable)
	c.Snapshots = c.Snapshots && keeps
	_, c.Forks = sb.(Forker)
	_, c.Keeps = sb.(Keeper)
	if !c.Snapshots && !c.Forks {
		c.Disruption = ""
	}
	return c
}

// Check reports a flag that lacks what belongs to it, as Internal: it is the
// provider's own mistake. The SDK calls it before a provider is used.
func (c Capabilities) Check() error {
	switch c.Disruption {
	case DisruptionNone, DisruptionPause, DisruptionStop:
		return nil
	case "":
		if !c.Snapshots && !c.Forks {
			return nil
		}
	}
	return &Error{
		Class: Internal, Message: fmt.Sprintf("the provider makes snapshots or forks, and %.50q is what it says they do to processes", c.Disruption),
		Hint: "its Capabilities must have a Disruption: none, pause or stop",
	}
}
