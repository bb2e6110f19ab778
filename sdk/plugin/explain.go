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
func executable(doing string, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return sandbox.Errorf(sandbox.NotFound, "%s: there is no file %s", doing, path)
	case err != nil:
		return sandbox.Errorf(sandbox.Denied, "%s: %w", doing, err)
	case !info.Mode().IsRegular():
		return sandbox.Errorf(sandbox.Denied, "%s: %s is not a file", doing, path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o111 == 0:
		return &sandbox.Error{
			Class:   sandbox.Denied,
			Message: fmt.Sprintf("%s: %s is not executable", doing, path),
			Hint:    "chmod +x " + path,
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
		return c.explainExec(ctx, "start "+c.opts.Name, err)
	}
	died, exited := (*DiedError)(nil), false
	if c.endedSoon() {
		// An end that was our doing says nothing.
		died, exited = errors.AsType[*DiedError](c.Err())
	}
	if exited {
		err = errors.Join(err, died)
	}
	line, _, whole := strings.Cut(string(c.proc.First.Bytes()), "\n")
	h, shake := parseHandshake(line)
	switch {
	case whole && shake && h.major != ProtocolMajor:
		return say(sandbox.Unsupported, "it speaks protocol %d, this program speaks %d: %s", h.major, ProtocolMajor, update(h.major))
	case whole && shake && exited:
		return say(sandbox.Unavailable, "%v", died.during("before it could be talked to"))
	case whole && shake && !h.tls:
		return say(sandbox.Unsupported, "it serves without TLS, or with certificates of its own (its handshake has none); this program "+
			"talks to plugins by mutual TLS only: build it with the SDK's ServeProvider or ServeHarness")
	case whole && shake && ctx.Err() != nil:
		return say(sandbox.ClassOf(ctx.Err()), "it runs, and what listens on its socket doesn't answer within %s: it hangs, or is no plugin of Sandlot%s",
			c.opts.StartTimeout, c.lastWords())
	case whole && shake:
		return say(sandbox.Unavailable, "it runs and can't be talked to: what answers on its socket is no plugin of Sandlot: %v", err)
	case line != "":
		return say(sandbox.Internal, "it printed %s on stdout, where the plugin's handshake belongs: it is no plugin, or prints before it serves; "+
			"a plugin's own words belong on stderr", quote(c.scrubbed(line)))
	case errors.Is(ctx.Err(), context.Canceled):
		return say(sandbox.Canceled, "canceled")
	case ctx.Err() != nil:
		return say(sandbox.TimedOut, "it runs and did not say within %s how to reach it: it hangs, or is no plugin%s", c.opts.StartTimeout, c.lastWords())
	case exited:
		return say(sandbox.Unavailable, "%v", died.during("before it said how to reach it"))
	}
	return say(sandbox.TimedOut, "%v%s", err, c.lastWords())
}

// during is the error with the phase of the start in its words.
func (e *DiedError) during(phase string) error {
	told := *e
	told.Phase = phase
	return &told
}

// update says which of two that speak different protocols is the older.
func update(major int) string {
	if major > ProtocolMajor {
		return "update sandlot, or take an older version of the plugin"
	}
	return "update the plugin"
}

// explainExec says why a program couldn't be executed at all.
func (c *Client) explainExec(ctx context.Context, doing string, err error) error {
	say := func(class sandbox.Class, format string, args ...any) error {
		return &sandbox.Error{Class: class, Message: doing + ": " + fmt.Sprintf(format, args...), Cause: err}
	}
	path := c.opts.Path
	switch {
	case ctx.Err() != nil:
		return say(sandbox.ClassOf(ctx.Err()), "%v", ctx.Err())
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		return say(sandbox.Denied, "it may not be executed by this user: its file system may be mounted noexec, or a folder above it closed")
	case errors.Is(err, syscall.ENOEXEC):
		return say(sandbox.Unsupported, "it %s", unfit(path))
	case errors.Is(err, os.ErrNotExist):
		return say(sandbox.Unsupported, "it %s", missing(path))
	case errors.Is(err, errBusy):
		return say(sandbox.Conflict, "it is being written: wait until it is installed, or end who writes it; "+
			"install a plugin by renaming it into place")
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOMEM):
		return say(sandbox.Exhausted, "the system has no room for another process (%v): end some, or raise the limit of processes (ulimit -u)", err)
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return say(sandbox.Exhausted, "%v: raise the limit (ulimit -n)", err)
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

// shaken is what go-plugin's handshake line says.
type shaken struct {
	major int
	tls   bool // it has a certificate for us
}

func parseHandshake(line string) (h shaken, ok bool) {
	parts := strings.Split(strings.TrimSpace(line), "|")
	if len(parts) < 5 {
		return h, false
	}
	if _, err := strconv.Atoi(parts[0]); err != nil {
		return h, false
	}
	major, err := strconv.Atoi(parts[1])
	return shaken{major: major, tls: len(parts) > 5 && parts[5] != ""}, err == nil
}

func quote(line string) string {
	const most = 120
	if len(line) > most {
		return strconv.Quote(line[:most]) + "..."
	}
	return strconv.Quote(line)
}

// lastWords are the plugin's own, where there are any.
func (c *Client) lastWords() string {
	if line := c.proc.Tail.Line(); line != "" {
		return "; its last words: " + oneLine(c.scrubbed(line))
	}
	return ""
}
