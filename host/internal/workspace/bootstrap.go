package workspace

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// What is to be made of a fresh sandbox.
type What struct {
	Workspace config.Workspace
	Env       map[string]string // of setup commands: the workspace's, with values of secrets
	Skip      []string          // absolute folders of the host that no source copies: its own state
	Secrets   []SecretFile      // files of the host with secrets, see Check
	Fetch     Fetch             // what fetching a repository may use
	Output    func(Output)      // takes what setup commands print, one call at a time; nil: not wanted
	Clean     func() Cleaner    // makes what scrubs one stream of output; nil: there is nothing to scrub
}

// Bootstrap brings source and setup into a sandbox that was made a moment ago.
// Phases are told as they go. After an error, or when ctx ends, the sandbox is to
// be removed: see [Undo].
func Bootstrap(ctx context.Context, sb sandbox.Sandbox, w What, tell func(Phase)) error {
	if w.Workspace.Source.Kind == "" {
		return runSetup(ctx, sb, w, tell)
	}
	filer, err := sandbox.As[sandbox.Filer](sb)
	if err != nil {
		return fmt.Errorf("copy the source: %w", err)
	}
	files := filer.Files()
	if err := source(ctx, sb, files, w, tell); err != nil {
		return err
	}
	if err := runSetup(ctx, sb, w, tell); err != nil {
		return err
	}
	if err := files.Remove(ctx, mark(sb)); err != nil {
		return fmt.Errorf("note that the sandbox is ready: %w", err)
	}
	return nil
}

// mark is the file that stands in a sandbox while what lies in its root is an
// unfinished work of ours.
func mark(sb sandbox.Sandbox) string { return path.Join(sb.Info().StateDir, "unfinished") }

// Undo empties the root of a sandbox whose bootstrap wasn't finished, before it is
// removed. A root that outlives its sandbox would keep half a source otherwise.
// It touches nothing but what came after Bootstrap had found the root empty.
func Undo(ctx context.Context, sb sandbox.Sandbox) error {
	filer, err := sandbox.As[sandbox.Filer](sb)
	if err != nil {
		return nil //nolint:nilerr // without files there was no source
	}
	files := filer.Files()
	if _, err := files.Stat(ctx, mark(sb)); errors.Is(err, sandbox.NotFound) {
		return nil
	} else if err != nil {
		return fmt.Errorf("look for an unfinished source: %w", err)
	}
	root := sb.Info().Root
	entries, err := files.List(ctx, root)
	if err != nil {
		return fmt.Errorf("empty %s: %w", root, err)
	}
	for _, e := range entries {
		if err := files.Remove(ctx, strings.TrimSuffix(root, "/")+"/"+e.Name); err != nil {
			return fmt.Errorf("empty %s: %w", root, err)
		}
	}
	return nil
}
