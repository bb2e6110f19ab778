package plugins

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
)

// Kind is what a plugin is.
type Kind = plugin.Kind

// The kinds of plugins.
const (
	Provider = plugin.KindProvider
	Harness  = plugin.KindHarness
)

// Description is what a plugin says of itself.
type Description = plugin.Description

// Configure is the configuration of one plugin process.
type Configure = plugin.Configure

// Opener opens sessions of a harness.
type Opener = plugin.Opener

// Crash is a panic caught in a plugin; errors.AsType[*Crash] finds it in an
// error of class Internal.
type Crash = plugin.Crash

// Killed reports whether an error came of a plugin process that was ended from
// outside, by a signal.
func Killed(err error) bool {
	died, ok := errors.AsType[*plugin.DiedError](err)
	return ok && died.Killed
}

// Options say where plugins are. Empty fields are skipped.
type Options struct {
	Dirs       []string // --plugin-dir, in the order given
	EnvDirs    string   // $SANDLOT_PLUGIN_DIR, a list as PATH is one
	Executable string   // path of this program: plugins/ beside it is searched
	Home       string   // $SANDLOT_HOME, absolute: plugins/ and sockets/ are in it
	DataHome   string   // $XDG_DATA_HOME: sandlot/plugins is in it
	Timeouts   plugin.Timeouts

	// Traceless puts sockets into the temporary directory, so that nothing is made
	// in Home but the report of a crash, and sweeps nobody's away.
	Traceless bool

	// Hide makes what takes values out of texts, in each way that they may be written
	// there. Nil: they are found as they are.
	Hide func(values []string) func([]byte) []byte

	DescribeTimeout time.Duration // for a plugin to say what it is; default 5 s
	StartTimeout    time.Duration // for its process to answer; default 10 s
}

// Plugins are the plugins of one host process.
type Plugins struct {
	opts  Options
	sweep sync.Once // of dead hosts' sockets

	mu        sync.Mutex
	described map[fileKey]*entry
}

// New makes a Plugins. It touches nothing yet.
func New(opts Options) *Plugins {
	if opts.DescribeTimeout == 0 {
		opts.DescribeTimeout = 5 * time.Second
	}
	return &Plugins{opts: opts, described: map[fileKey]*entry{}}
}

// Close removes this process's folder for sockets once its plugins have ended.
// One that is in use stays, for the sweep of a later process.
func (p *Plugins) Close() {
	if p.opts.Home != "" && !p.opts.Traceless {
		_ = os.Remove(plugin.HostSockets(filepath.Join(p.opts.Home, "sockets")))
	}
}

// DeadSockets are the folders of sockets that host processes have left that died.
// Each start of a plugin removes them too.
func DeadSockets(home string) []string { return plugin.DeadSockets(filepath.Join(home, "sockets")) }

// Folders lists the folders that are searched, in order: the first that has a
// plugin wins. The working directory is never one of them.
func (p *Plugins) Folders() []string {
	var dirs []string
	seen := map[string]bool{}
	add := func(dir string) {
		if dir == "" {
			return
		}
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		if !seen[dir] {
			seen[dir] = true
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range p.opts.Dirs {
		add(dir)
	}
	for _, dir := range filepath.SplitList(p.opts.EnvDirs) {
		add(dir)
	}
	if p.opts.Executable != "" {
		add(filepath.Join(filepath.Dir(p.opts.Executable), "plugins"))
	}
	if p.opts.Home != "" {
		add(filepath.Join(p.opts.Home, "plugins"))
	}
	if p.opts.DataHome != "" {
		add(filepath.Join(p.opts.DataHome, "sandlot", "plugins"))
	}
	return dirs
}
