package providertest

import (
	"context"
	"os"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Options of the suite. Only Open must be set.
type Options struct {
	// Open starts one more plugin process on the same backend, with the same
	// configuration and owner each time. ctx is that of the call.
	Open func(ctx context.Context) (*Plugin, error)

	// Owner is the owner that the plugin was configured with; default
	// DefaultOwner. The suite labels its sandboxes with it.
	Owner string

	// Kills is how many process trees the leak case kills; default 100. Lower
	// it where a process costs money.
	Kills int

	// Patience bounds the wait for anything that is to happen soon; default
	// 20 s.
	Patience time.Duration

	// Limit bounds one case; default 3 min.
	Limit time.Duration

	// OpenNetwork is a shell script that exits with 0 only where the network
	// can be reached. A provider that says it can close the network needs it.
	OpenNetwork string

	// Port is a port that the plugin's configuration declares, where its provider
	// needs that, and the one after it isn't; default 8080. Something in the
	// sandbox listens on it.
	Port int

	// Serve is a shell script that does so on the port $1 of all addresses, until
	// it is killed, and answers each request of HTTP with the text $2; by default
	// with BusyBox's nc, or perl.
	Serve string
}

// DefaultOwner is Options.Owner where that is empty.
const DefaultOwner = "0190c0de-0000-7000-8000-000000000001"

// Plugin is one plugin process, or what stands for one.
type Plugin struct {
	Provider sandbox.Provider

	// Close ends it in good order, as a host does, and waits for that.
	Close func() error

	// Kill ends it as a crash would (SIGKILL) and waits for that. Nil: the
	// cases about crashes aren't run; an in-process provider can't crash alone.
	Kill func() error

	// PID is its process id on this machine, for looking at its memory and its
	// zombies; 0: unknown, os.Getpid for a provider in this process.
	PID int

	// Promised is what its describe promises; nil: not known.
	Promised *sandbox.Capabilities
}

// apart reports whether the plugin is a process of this machine that isn't ours.
func (p *Plugin) apart() bool { return p.PID != 0 && p.PID != os.Getpid() }

func (o Options) withDefaults() Options {
	if o.Owner == "" {
		o.Owner = DefaultOwner
	}
	if o.Kills == 0 {
		o.Kills = 100
	}
	if o.Patience == 0 {
		o.Patience = 20 * time.Second
	}
	if o.Port == 0 {
		o.Port = 8080
	}
	if o.Serve == "" {
		o.Serve = answers
	}
	if o.Limit == 0 {
		o.Limit = 3 * time.Minute
	}
	return o
}
