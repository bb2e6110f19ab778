package gc

import (
	"context"
	"errors"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
)

// The defaults of Options.
const (
	DefaultJournals = 30 * 24 * time.Hour
	DefaultMirrors  = 30 * 24 * time.Hour
	DefaultCrashes  = 20
)

// Patience is how long providers have for their answers, their start included.
const Patience = 10 * time.Second

// Kind is what sort of thing is collected.
type Kind string

// The kinds.
const (
	KindSandbox     Kind = "sandbox"
	KindRow         Kind = "row" // of a sandbox that isn't there any more
	KindSnapshot    Kind = "snapshot"
	KindSnapshotRow Kind = "snapshot row" // of a snapshot that isn't there any more
	KindJournal     Kind = "run"          // what is kept of an ended run beside its events
	KindSocket      Kind = "socket"       // folder of a dead process
	KindCommand     Kind = "command"      // what a secret's command has left
	KindCrash       Kind = "crash"        // report of a plugin's crash
	KindMirror      Kind = "mirror"       // copies of repositories
)

// Unknown is the size of what can't be measured.
const Unknown = -1

// Removal is one thing that was removed, or would be.
type Removal struct {
	Kind  Kind
	Name  string
	Why   string
	Bytes int64 // freed; Unknown
	Kept  error // it became of use meanwhile, and stays
	Err   error // it couldn't be removed
}

// Options say what is collected.
type Options struct {
	DryRun   bool           // tell, and remove nothing
	Idle     *time.Duration // how long a sandbox may be without use; nil: what its lifecycle.keep_alive says
	Journals time.Duration  // how long what is kept of an ended run stays
	Mirrors  time.Duration  // how long a copy of a repository stays without use
	Crashes  int            // how many crash reports stay, the newest
}

// Collector collects for one store.
type Collector struct {
	Engine      *runs.Engine
	Options     Options
	Tell        func(Removal)      // called for each, one at a time
	Unreachable func(words string) // called for each provider that gave no answer
}

// ErrIncomplete says that something was told that couldn't be removed, or a
// provider that gave no answer.
var ErrIncomplete = errors.New("not all could be collected")

// Run collects. One failure doesn't stop the rest; at the end it is ErrIncomplete.
func (c *Collector) Run(ctx context.Context) error {
	failed := false
	tell := c.Tell
	c.Tell = func(r Removal) {
		failed = failed || r.Err != nil
		tell(r)
	}
	lost := c.Unreachable
	c.Unreachable = func(words string) {
		failed = true
		lost(words)
	}
	// Sockets first: a plugin that is started for the rest sweeps them, untold.
	for _, part := range []func(context.Context) error{c.sockets, c.commands, c.sandboxes, c.runs, c.crashes, c.mirrors} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	if failed {
		return ErrIncomplete
	}
	return nil
}
