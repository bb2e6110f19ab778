package wire

import (
	"cmp"

	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Capabilities converts to the wire.
func Capabilities(c sandbox.Capabilities) *pb.Capabilities {
	return &pb.Capabilities{
		Fs:                c.Files,
		WritableStdin:     c.WritableStdin,
		KillableProcesses: c.KillableProcesses,
		DurableFilesystem: c.DurableFilesystem,
		Pty:               c.PTY,
		BrokersSecrets:    c.BrokersSecrets,
		Ports:             c.Ports,
		Snapshots:         c.Snapshots,
		Fork:              c.Forks,
		KeepAlive:         c.Keeps,
		Disruption:        Text(string(c.Disruption)),
		NetworkPolicy:     Text(string(cmp.Or(c.NetworkPolicy, sandbox.NetworkNone))), // an author may leave it out
	}
}

// FromCapabilities converts from the wire.
func FromCapabilities(c *pb.Capabilities) sandbox.Capabilities {
	return sandbox.Capabilities{
		Files:             c.GetFs(),
		WritableStdin:     c.GetWritableStdin(),
		KillableProcesses: c.GetKillableProcesses(),
		DurableFilesystem: c.GetDurableFilesystem(),
		PTY:               c.GetPty(),
		BrokersSecrets:    c.GetBrokersSecrets(),
		Ports:             c.GetPorts(),
		Snapshots:         c.GetSnapshots(),
		Forks:             c.GetFork(),
		Keeps:             c.GetKeepAlive(),
		Disruption:        sandbox.Disruption(c.GetDisruption()),
		NetworkPolicy:     sandbox.NetworkPolicy(c.GetNetworkPolicy()),
	}
}

// Info converts a sandbox's id and facts to the wire.
func Info(id string, i sandbox.Info) *pb.SandboxInfo {
	return &pb.SandboxInfo{
		Id:           Text(id),
		Root:         toBytes(i.Root),
		Home:         toBytes(i.Home),
		StateDir:     toBytes(i.StateDir),
		Os:           Text(i.OS),
		Arch:         Text(i.Arch),
		User:         Text(i.User),
		Isolation:    Text(string(i.Isolation)),
		HostAddress:  Text(i.HostAddress),
		KillScope:    Text(string(i.KillScope)),
		Capabilities: Capabilities(i.Capabilities),
	}
}

// FromInfo converts from the wire.
func FromInfo(i *pb.SandboxInfo) (id string, info sandbox.Info) {
	return i.GetId(), sandbox.Info{
		Root:         fromBytes(i.GetRoot()),
		Home:         fromBytes(i.GetHome()),
		StateDir:     fromBytes(i.GetStateDir()),
		OS:           i.GetOs(),
		Arch:         i.GetArch(),
		User:         i.GetUser(),
		Isolation:    sandbox.Isolation(i.GetIsolation()),
		HostAddress:  i.GetHostAddress(),
		KillScope:    sandbox.KillScope(i.GetKillScope()),
		Capabilities: FromCapabilities(i.GetCapabilities()),
	}
}
