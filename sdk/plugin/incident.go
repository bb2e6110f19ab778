package plugin

import (
	"strconv"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/process"
	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/remote"
	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
)

// BeginsCrash reports whether a line of a plugin's stderr is the first that Go's
// runtime writes of a crash; all that follow are of it.
func BeginsCrash(line []byte) bool { return process.Begins(line) }

// Call is a call to a plugin that has ended.
type Call = remote.Call

// Incident is what is known of a crash: of a plugin's process that ended unasked,
// or of a panic in a call that it survived.
type Incident struct {
	About Description // what the plugin says of itself; empty if it never got so far
	Path  string      // of the program
	PID   string
	How   string   // e.g. "exited with code 2", or that it goes on
	Calls []string // under way, newest first
	Block string   // configuration block, with its place; may be empty
	Panic string   // text and stack; may be empty
	Last  string   // last 4 KiB of its stderr
}

// DiedError says how a plugin's process ended that nobody had asked to.
type DiedError struct {
	Incident

	Plugin string // in words, e.g. "the docker plugin", or "it" before it said so
	Words  string // one line that says most: of the panic, else the last of its stderr
	Hung   string // that it was ended since it did not answer; empty: it wasn't
	Signal string // that ended it, e.g. "SIGKILL"; empty: it exited
	Killed bool   // from outside, so another try may go better
	Phase  string // of its start, e.g. "before it could be talked to"; empty later
	Report string // path of the file with all of it; may be empty
}

func (e *DiedError) Error() string {
	what := e.Plugin + " " + e.ending()
	if e.Phase != "" {
		what += " " + e.Phase
	}
	return wire.CrashLine(what, e.Calls, e.Block, e.Report)
}

// crash reports whether there is more to tell than its own last words.
func (e *DiedError) crash() bool { return e.Panic != "" || e.Signal != "" || e.About.Type != "" }

// ending is the end in words.
func (e *DiedError) ending() string {
	switch {
	case e.Panic != "":
		return "crashed (" + e.Words + ")"
	case e.Hung != "":
		return e.Hung
	case e.Signal == "SIGKILL":
		return "was killed (SIGKILL: by somebody, or by the system for want of memory)"
	case e.Killed:
		return "was killed (" + e.Signal + ")"
	case e.Signal != "":
		return "crashed (" + e.Signal + ")"
	case e.Words != "":
		return e.How + " (" + e.Words + ")"
	}
	return e.How
}

// autopsy puts together what is known of a process that has ended.
func (c *Client) autopsy() *DiedError {
	state := c.proc.State()
	e := &DiedError{
		Incident: c.incident(c.proc.Tail.Panic(), c.calls.UnderWay()),
		Plugin:   c.title(), Words: wire.OneLine(c.scrubbed(c.proc.Tail.Line())), Signal: process.Signal(state),
	}
	e.How = "exited with code " + strconv.Itoa(state.ExitCode())
	switch e.Signal {
	case "":
		e.Killed = !state.Exited()
	case "SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGSYS", "SIGTRAP":
		e.How = "ended by " + e.Signal
	default:
		e.How, e.Killed = "ended by "+e.Signal, true
	}
	if c.hung.Load() {
		e.Hung = c.silentFor() + " (it hangs, or was stopped)"
		e.How = e.Hung
	}
	return e
}

func (c *Client) incident(panicked string, calls []string) Incident {
	return Incident{
		About: c.description, Path: c.opts.Path, PID: c.proc.ID(), Calls: calls, Block: c.place(),
		Panic: c.scrubbed(panicked), Last: c.scrubbed(c.proc.Tail.Last()),
	}
}

// title is the plugin in words; one that never said what it is is named by who
// tells of its start.
func (c *Client) title() string {
	if c.description.Type != "" {
		return "the " + c.description.Type + " plugin"
	}
	return "it"
}

// place is the configuration block and where it stands; empty before Configure.
func (c *Client) place() string {
	if block := c.block.Load(); block != nil {
		return *block
	}
	return ""
}

// report has the host write down an incident.
func (c *Client) report(i Incident) string {
	if c.opts.Report == nil {
		return ""
	}
	return c.opts.Report(i)
}

// crashed completes what a call's error says of a panic.
func (c *Client) crashed(crash *wire.Crash) {
	crash.Value, crash.Stack = c.scrubbed(crash.Value), c.scrubbed(crash.Stack)
	if place := c.place(); place != "" {
		crash.Block = place
	}
	i := c.incident("panic: "+crash.Value+"\n\n"+crash.Stack, []string{crash.Call})
	i.How = "it goes on: the panic was caught in the call"
	crash.Report = c.report(i)
}

func (c *Client) scrubbed(text string) string {
	if c.opts.Scrub == nil {
		return text
	}
	return string(c.opts.Scrub([]byte(text)))
}
