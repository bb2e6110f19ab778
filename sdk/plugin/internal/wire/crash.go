package wire

import (
	"fmt"
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
	Block   string // configuration block; may be empty
	Value   string // what panic was given
	Stack   string // of the goroutine
	Reports string // URL where it may be reported; may be empty
}

func (c *Crash) Error() string {
	msg := fmt.Sprintf("the %s plugin crashed in %s: %s (version %s)", c.Plugin, c.Call, c.Value, c.Version)
	if c.Block != "" {
		msg = c.Block + ": " + msg
	}
	return msg
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
