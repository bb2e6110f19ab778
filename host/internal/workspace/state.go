package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// State tells what the source is like at present, so that somebody who has a copy of
// it knows whether that is still the same: of a repository the commit, of a local
// folder a digest over the names, kinds, permissions, sizes and times of what would be
// copied. git's index counts by its being there alone, since git writes it anew
// whenever it looks. Empty: there is no source.
func (w What) State(ctx context.Context) (string, error) {
	switch src := w.Workspace.Source; src.Kind {
	case "":
		return "", nil
	case "git":
		f, from := w.remote()
		object, err := f.Resolve(ctx, from)
		if err != nil {
			return "", fmt.Errorf("ask for the state of the source: %w", err)
		}
		return "git " + object, nil
	}
	t, err := openTree(ctx, sandbox.Info{}, w)
	if err != nil {
		return "", fmt.Errorf("look at the source: %w", err)
	}
	defer t.top.Close()
	digest := sha256.New()
	err = t.walk(func(e entry) error {
		fmt.Fprintf(digest, "%q %v %q", e.path, e.info.Mode(), e.target)
		if e.info.Mode().IsRegular() && !strings.HasSuffix("/"+e.path, "/.git/index") {
			fmt.Fprintf(digest, " %d %d", e.info.Size(), e.info.ModTime().UnixNano())
		}
		digest.Write([]byte{'\n'}) // a digest takes everything
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("look at the source: %w", err)
	}
	return "local " + hex.EncodeToString(digest.Sum(nil)), nil
}
