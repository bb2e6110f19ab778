package wire

import (
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/protoadapt"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Crash is a panic that was caught in a plugin. On the host it is the cause of
// an error of class Internal.
type Crash struct {
	Plugin  string // type of the plugin
	Version string // of the plugin
	Call    string // what was called, e.g. "Create"
	Block   string // configuration block, on the host with its place; may be empty
	Value   string // what panic was given
	Stack   string // of the goroutine
	Reports string // URL where it may be reported; may be empty

	Report string // on the host: path of the file with all of it; may be empty
}

func (c *Crash) Error() string {
	return CrashLine("the "+c.Plugin+" plugin crashed (panic: "+OneLine(c.Value)+")", []string{c.Call}, c.Block, c.Report)
}

// CrashLine is the one line that tells a person of a crash: what ended how, in
// which calls, of which block, and where the rest is.
func CrashLine(what string, calls []string, block, report string) string {
	const most = 3
	if len(calls) > most {
		calls = append(calls[:most:most], "others")
	}
	if len(calls) > 0 {
		what += " in " + strings.Join(calls, ", ")
	}
	if block != "" {
		what += ", " + block
	}
	if report != "" {
		what += "; report: " + report
	}
	return what
}

// OneLine is the first line of a text, of which a terminal may show all.
func OneLine(text string) string {
	const most = 200
	line, _, _ := strings.Cut(strings.TrimSpace(Text(text)), "\n")
	line = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, line)
	if len(line) > most {
		return strings.ToValidUTF8(line[:most], "") + "..."
	}
	return line
}

// Status is the crash as an error for the wire. The stack goes apart from the
// message: it is for a report, not for a line on a terminal.
func (c *Crash) Status() error {
	e := &sandbox.Error{Class: sandbox.Internal, Message: c.Error()}
	if c.Reports != "" {
		e.Hint = "report it at " + c.Reports
	}
	return Status(e, "", protoadapt.MessageV1Of(&errdetails.DebugInfo{
		StackEntries: strings.Split(shorten(c.Stack, maxMessage), "\n"),
		Detail:       strings.Join([]string{Text(c.Plugin), Text(c.Version), Text(c.Call), Text(c.Block), Text(c.Reports), Text(c.Value)}, "\x00"),
	}))
}

func crashOf(d *errdetails.DebugInfo) error {
	parts := strings.SplitN(d.GetDetail(), "\x00", 6)
	if len(parts) < 6 {
		return nil
	}
	return &Crash{
		Plugin: parts[0], Version: parts[1], Call: parts[2], Block: parts[3], Reports: parts[4], Value: parts[5],
		Stack: strings.Join(d.GetStackEntries(), "\n"),
	}
}
