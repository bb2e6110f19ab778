package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Changes says what a patch holds.
type Changes struct {
	Files   int // files added, changed, removed or renamed
	Added   int // lines; those of binary files aren't counted
	Removed int

	Nested []string // repositories that weren't nested in the workspace at the baseline; left out
	Large  []string // files over the limit; left out
	Errors string   // what git said of files that it couldn't read; left out too
}

// Diff writes a git patch of all that changed since the baseline to patch:
// nothing if nothing has. It reads the workspace only; what the agent left in
// the sandbox must not run any more.
//
// Errors: ErrDamaged; of class TimedOut or Exhausted past a limit, Unsupported
// without git; those of patch and of Sandbox.Start. After an error what was
// written is worthless.
func (w Workspace) Diff(ctx context.Context, b Baseline, patch io.Writer) (Changes, error) {
	const doing = "compare the workspace with its baseline"
	var errs tail
	out := &output{patch: patch}
	cmd := w.command(diffScript, "diff-"+w.Run, b.Folder, w.name(), w.fileLimit(), b.Tree, b.Index, b.Excludes)
	cmd.Stdout, cmd.Stderr, cmd.MaxOutput = out, &errs, w.limits().Patch
	var proc sandbox.Process
	err := w.instead(ctx, cmd.ID, func() (err error) {
		proc, err = w.Sandbox.Start(ctx, cmd)
		return err
	})
	if err != nil {
		return Changes{}, fmt.Errorf("%s: %w", doing, err)
	}
	exit, err := proc.Wait(ctx)
	if err = errors.Join(err, proc.Close()); err != nil { // Close: nothing is written after it
		return Changes{}, fmt.Errorf("%s: %w", doing, err)
	}
	if out.err != nil {
		return Changes{}, fmt.Errorf("%s: %w", doing, out.err)
	}
	if err := w.failed(doing, exit, errs.bytes()); err != nil {
		return Changes{}, err
	}
	if err := out.end(); err != nil {
		return Changes{}, sandbox.Errorf(sandbox.Internal, "%s: %w", doing, err)
	}
	c := out.changes
	known := names(b.Nested)
	c.Nested = slices.DeleteFunc(c.Nested, func(s string) bool { return slices.Contains(known, s) })
	return c, nil
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

const tailSize = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, b[max(0, len(b)-tailSize):]...)
	t.data = t.data[max(0, len(t.data)-tailSize):]
	return len(b), nil
}

func (t *tail) bytes() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.data)
}
