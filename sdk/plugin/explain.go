package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// executable finds what is wrong with the file before it is started.
func executable(o LaunchOptions) error {
	info, err := os.Stat(o.Path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return sandbox.Errorf(sandbox.NotFound, "start %s: there is no file %s", o.Name, o.Path)
	case err != nil:
		return sandbox.Errorf(sandbox.Denied, "start %s: %w", o.Name, err)
	case !info.Mode().IsRegular():
		return sandbox.Errorf(sandbox.Denied, "start %s: %s is not a file", o.Name, o.Path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o111 == 0:
		return &sandbox.Error{
			Class:   sandbox.Denied,
			Message: fmt.Sprintf("start %s: %s is not executable", o.Name, o.Path),
			Hint:    "chmod +x " + o.Path,
		}
	}
	return nil
}

// explain says why a plugin didn't come up. go-plugin's own words tell little:
// what the process printed and how it ended tell more.
func (c *Client) explain(ctx context.Context, err error) error {
	say := func(class sandbox.Class, format string, args ...any) error {
		return &sandbox.Error{Class: class, Message: "start " + c.opts.Name + ": " + fmt.Sprintf(format, args...), Cause: err}
	}
	if c.proc.ID() == "" {
		return c.explainExec(ctx, say, err)
	}
	exited := c.endedSoon()
	if exited {
		err = errors.Join(err, c.Err())
	}
	line, _, whole := strings.Cut(string(c.proc.First.Bytes()), "\n")
	switch major, shake := handshakeLine(line); {
	case whole && shake && major != ProtocolMajor:
		return say(sandbox.Unsupported, "it speaks protocol %d, this program speaks %d: one of the two must be updated", major, ProtocolMajor)
	case whole && shake && exited:
		return say(sandbox.Unavailable, "%s before it answered", c.ending())
	case whole && shake:
		return say(sandbox.Unavailable, "it is running but can't be talked to: %v", err)
	case line != "":
		return say(sandbox.Internal, "it printed %s on stdout instead of the plugin handshake: it is no plugin, or it prints before it serves", quote(line))
	case errors.Is(ctx.Err(), context.Canceled):
		return say(sandbox.Canceled, "canceled")
	case ctx.Err() != nil:
		return say(sandbox.TimedOut, "it did not answer within %s%s", c.opts.StartTimeout, c.lastWords())
	case exited:
		return say(sandbox.Unavailable, "%s at once, without a word of the plugin handshake", c.ending())
	}
	return say(sandbox.TimedOut, "%v%s", err, c.lastWords())
}

func (c *Client) explainExec(ctx context.Context, say func(sandbox.Class, string, ...any) error, err error) error {
	switch {
	case ctx.Err() != nil:
		return say(sandbox.ClassOf(ctx.Err()), "%v", ctx.Err())
	case errors.Is(err, syscall.EACCES):
		return say(sandbox.Denied, "%s is not executable by this user", c.opts.Path)
	case errors.Is(err, syscall.ENOEXEC):
		return say(sandbox.Unsupported, "%s is not a program for %s/%s", c.opts.Path, runtime.GOOS, runtime.GOARCH)
	case errors.Is(err, os.ErrNotExist):
		return say(sandbox.Unsupported, "%s needs an interpreter or loader that isn't installed", c.opts.Path)
	}
	return say(sandbox.Internal, "%v", err)
}

// endedSoon gives a process that is about to end a moment for it, so that its
// own words are read.
func (c *Client) endedSoon() bool {
	patience := time.NewTimer(300 * time.Millisecond)
	defer patience.Stop()
	select {
	case <-c.proc.Exited():
		return true
	case <-patience.C:
		return false
	}
}

// handshakeLine reads the protocol major from go-plugin's line.
func handshakeLine(line string) (major int, ok bool) {
	parts := strings.Split(strings.TrimSpace(line), "|")
	if len(parts) < 5 {
		return 0, false
	}
	if _, err := strconv.Atoi(parts[0]); err != nil {
		return 0, false
	}
	major, err := strconv.Atoi(parts[1])
	return major, err == nil
}

func quote(line string) string {
	const most = 120
	if len(line) > most {
		return strconv.Quote(line[:most]) + "..."
	}
	return strconv.Quote(line)
}

// ending is how the process ended, in words, e.g. `exited with code 3: no disk`.
func (c *Client) ending() string {
	how := "ended"
	if state := c.proc.State(); state != nil {
		how = stateWords(state)
	}
	return how + c.lastWords()
}

func (c *Client) lastWords() string {
	if line := c.proc.Tail.Line(); line != "" {
		return ": " + line
	}
	return ""
}

func stateWords(state *os.ProcessState) string {
	if state.Exited() {
		return "exited with code " + strconv.Itoa(state.ExitCode())
	}
	return "was ended by " + state.String() // e.g. "signal: killed"
}
