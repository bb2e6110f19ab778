package processes

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"runtime"

	"github.com/creack/pty"

	"github.com/sandlot-dev/sandlot/sdk/proctree"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Terminals tells whether this system has any: the capability pty of who starts
// commands here.
const Terminals = runtime.GOOS != "windows"

// openTerminal gives the process a terminal for all three of its streams. All
// that comes over it is stdout.
func (p *process) openTerminal(spec *proctree.Spec) error {
	ours, theirs, err := pty.Open()
	if err != nil {
		return err
	}
	p.screen = ours
	p.theirs = append(p.theirs, theirs)
	p.onEnd = append(p.onEnd, func() { _ = ours.Close() })
	p.pumps = append(p.pumps, &pump{from: ours, to: screenOf(p.cmd), limit: p.limit, done: make(chan struct{})})
	if p.cmd.Stdin != nil {
		p.stdin = ours
	}
	spec.Stdin, spec.Stdout, spec.Stderr = theirs, theirs, theirs
	return pty.Setsize(ours, &pty.Winsize{Rows: p.cmd.TTY.Rows, Cols: p.cmd.TTY.Cols})
}

func screenOf(cmd sandbox.Command) io.Writer {
	if cmd.Stdout == nil {
		return io.Discard
	}
	return cmd.Stdout
}

// Resize changes the size of the terminal, of which the kernel tells the process.
func (p *process) Resize(_ context.Context, size sandbox.Size) error {
	if p.screen == nil {
		return noTerminal("resize process "+p.cmd.ID+": it has no terminal", "")
	}
	select {
	case <-p.done: // nobody looks at it any more
		return nil
	default:
	}
	if err := resize(p.screen, size); err != nil && !errors.Is(err, fs.ErrClosed) {
		return Classify("resize process "+p.cmd.ID, err)
	}
	return nil
}

// typeEnd types Ctrl-D: a terminal can't be closed for one side only. In the
// middle of a line the first one only hands the line over.
func (p *process) typeEnd(midLine bool) {
	const end = "\x04"
	text := end
	if midLine {
		text += end
	}
	_, _ = p.screen.WriteString(text) // a process that has ended needs none
}

func noTerminal(message, hint string) error {
	return &sandbox.Error{
		Class: sandbox.Unsupported, Capability: "pty", Message: message, Hint: hint,
	}
}
