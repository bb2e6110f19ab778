package runs

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/journal"
	"github.com/sandlot-dev/sandlot/host/internal/secrets"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Engine is what runs need of the world.
type Engine struct {
	Store   *store.Store
	Home    string // absolute folder of the host's state, which no source copies
	Plugins Plugins
	Env     func(name string) (string, bool) // where secrets with an env source are read
	Values  map[string]string                // secrets with a value source, handed over in memory
	Environ []string                         // environment of the commands that print a secret
	Log     *slog.Logger
	Mask    *Mask // under Log, told of a run's secrets; nil: none
	LineCap int   // bytes of one line of the agent; 0: journal.DefaultLineCap

	// Restarts is told why a provider outside of a run is started anew. Nil: the
	// log is.
	Restarts func(why error)

	// NoCommands has secrets that come from a command count as missing.
	NoCommands bool

	once    sync.Once
	fetcher *secrets.Fetcher // see fetch
}

// Plugins starts plugin processes.
type Plugins interface {
	Provider(ctx context.Context, b Block) (Provider, error)
	Harness(ctx context.Context, b Block) (Harness, error)
}

// Block is a plugin's block as the plugin is given it.
type Block struct {
	Type, Name string              // the block's two labels
	At         string              // where it stands, e.g. "sandlot.hcl:12"; may be empty
	Config     json.RawMessage     // its value, with its secrets resolved
	Scrub      func([]byte) []byte // takes those secrets out of a text, also where it was cut in one
}

// Provider is a running provider plugin.
type Provider interface {
	sandbox.Provider
	Err() error // how its process ended; nil while it runs
	Close() error
}

// Harness is a running harness plugin.
type Harness interface {
	Open(ctx context.Context) (harness.Host, error)
	SHA256() string // of its binary
	Traits() harness.Traits
	Err() error // how its process ended; nil while it runs
	Close() error
}

func (e *Engine) lineCap() int {
	if e.LineCap > 0 {
		return e.LineCap
	}
	return journal.DefaultLineCap
}

// Clocks of a driver, from the house's defaults.
const (
	leaseTTL     = 15 * time.Second
	leaseRenew   = 5 * time.Second
	cancelPoll   = 200 * time.Millisecond
	answerPoll   = 100 * time.Millisecond
	alivePoll    = 250 * time.Millisecond
	cancelGrace  = 500 * time.Millisecond // the harness's own cancel gets this long
	killGrace    = 500 * time.Millisecond // from TERM to KILL on cancel
	exitGrace    = 5 * time.Second        // from TERM to KILL elsewhere
	killTimeout  = 30 * time.Second       // until a tree that won't die is given up
	silence      = 10 * time.Second       // a harness that owes us a message
	endTimeout   = 30 * time.Second       // for writing the end of a run that is being torn down
	stderrTail   = 4 << 10
	window       = 16 // batches of lines on their way to the harness: enough for while the log is synced
	pluginClosed = 2 * time.Second
)
