package shellfs

import (
	"bytes"
	"context"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// maxWords bounds what is kept of a script's stderr.
const maxWords = 64 << 10

// exitClass is what the scripts mean by their own exit codes; see prelude.sh.
func exitClass(code int) sandbox.Class {
	switch code {
	case 40:
		return sandbox.Unavailable
	case 42:
		return sandbox.Denied
	case 43:
		return sandbox.Invalid
	case 44:
		return sandbox.Conflict
	case 45, 126, 127: // a program, or the shell itself
		return sandbox.Unsupported
	}
	return ""
}

// word is how programs end the line that says why they failed.
type word struct {
	text  string
	class sandbox.Class
}

func words() []word {
	return []word{
		{"No such file or directory", sandbox.NotFound},
		{"No such file", sandbox.NotFound}, // as dash says it
		{"Not a directory", sandbox.NotFound},
		{"Permission denied", sandbox.Denied},
		{"Operation not permitted", sandbox.Denied},
		{"Read-only file system", sandbox.Denied},
		{"No space left on device", sandbox.Exhausted},
		{"Disk quota exceeded", sandbox.Exhausted},
		{"File too large", sandbox.Exhausted},
		{"Cannot allocate memory", sandbox.Exhausted},
		{"Too many open files", sandbox.Exhausted},
		{"Too many links", sandbox.Exhausted},
		{"File exists", sandbox.Conflict},
		{"Directory not empty", sandbox.Conflict},
		{"Text file busy", sandbox.Conflict},
		{"Device or resource busy", sandbox.Unavailable},
		{"Input/output error", sandbox.Unavailable},
		{"Stale file handle", sandbox.Unavailable},
		{"Is a directory", sandbox.Invalid},
		{"Invalid argument", sandbox.Invalid},
		{"File name too long", sandbox.Invalid},
		{"Too many levels of symbolic links", sandbox.Invalid},
	}
}

// stderrClass finds the last line that says why, and its class. A name in it is
// the sandbox's and may hold anything, so only ends of lines count. Absence is
// never guessed: without such a line the class is Internal.
func stderrClass(stderr []byte) (sandbox.Class, string) {
	lines := bytes.Split(bytes.TrimRight(stderr, "\n"), []byte("\n"))
	for i := len(lines) - 1; i >= 0; i-- {
		line := string(lines[i])
		for _, w := range words() {
			if line == w.text || strings.HasSuffix(line, ": "+w.text) {
				return w.class, line
			}
		}
		switch {
		case strings.Contains(line, "to a subdirectory of itself"):
			return sandbox.Invalid, line
		case strings.Contains(line, "cannot overwrite"):
			return sandbox.Conflict, line
		}
	}
	return sandbox.Internal, string(lines[len(lines)-1])
}

// failure is the error of a script that has ended, or nil. err is that of Start
// or Wait.
func (f files) failure(ctx context.Context, what string, err error, exit sandbox.Exit, stderr []byte) error {
	switch {
	case ctx.Err() != nil && (err != nil || !exit.Ok()):
		return sandbox.Errorf(sandbox.ClassOf(ctx.Err()), "%s: %w", what, ctx.Err())
	case err != nil:
		return sandbox.Errorf(sandbox.ClassOf(err), "%s: %w", what, err)
	case exit.Ok():
		return nil
	case exit.OOM:
		return sandbox.Errorf(sandbox.Exhausted, "%s: the shell that did it was killed for want of memory", what)
	case exit.Reason != sandbox.ReasonExited:
		return sandbox.Errorf(sandbox.Unavailable, "%s: the shell that did it has ended (%s, signal %d): %s", what, exit.Reason, exit.Signal, exit.Message)
	}
	class, line := stderrClass(stderr)
	if own := exitClass(exit.Code); own != "" {
		class = own
	}
	if len(stderr) == 0 {
		line = strings.TrimSpace(exit.Message)
	}
	if len(line) > 1000 { // with a long name; why is said at the end
		line = line[:300] + "..." + line[len(line)-600:]
	}
	e := &sandbox.Error{Class: class, Message: what + ": " + line}
	switch {
	case line == "":
		e.Message = what + ": the shell that did it failed without a word"
	case class == sandbox.Unsupported:
		e.Capability, e.Hint = "fs", "files go through a shell here: install coreutils or BusyBox, and tar, in the sandbox"
	}
	return e
}
