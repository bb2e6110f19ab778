package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// ErrDamaged means that the baseline in the sandbox isn't what it was: somebody
// removed or changed it, so what changed since can't be told.
var ErrDamaged = errors.New("the baseline was removed or changed")

// Baseline names the tree that a diff starts from. It must be kept where the
// agent can't write.
type Baseline struct {
	Folder   string `json:"folder"`           // its name under StateDir/diffs
	Tree     string `json:"tree"`             // git's name of the tree
	Index    string `json:"index"`            // hash of the index, which tells what needn't be read again
	Excludes string `json:"excludes"`         // hash of the repository's own ignore rules
	Nested   []byte `json:"nested,omitempty"` // nested repositories, each name ending with NUL
}

// TakeBaseline writes the workspace as it is into the sandbox's state folder,
// and removes every baseline that is there.
//
// Errors: of class Unsupported without a git that will do, TimedOut past the
// limit; those of sandbox.Exec.
func (w Workspace) TakeBaseline(ctx context.Context) (Baseline, error) {
	const doing = "take the baseline of the workspace"
	b := Baseline{Folder: w.name()}
	out, err := w.exec(ctx, w.command(baselineScript, "baseline-"+w.Run, b.Folder, w.fileLimit()))
	if err != nil {
		return Baseline{}, fmt.Errorf("%s: %w", doing, err)
	}
	if err := w.failed(doing, out.Exit, out.Stderr); err != nil {
		return Baseline{}, err
	}
	line, nested, _ := bytes.Cut(out.Stdout, []byte("\n"))
	names := strings.Fields(string(line))
	if len(names) != 3 || out.Truncated {
		return Baseline{}, sandbox.Errorf(sandbox.Internal, "%s: the script printed %q", doing, line[:min(len(line), 200)])
	}
	b.Tree, b.Index, b.Excludes, b.Nested = names[0], names[1], names[2], nested
	return b, nil
}
