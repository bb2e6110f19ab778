package shellfs

import (
	"context"
	"errors"
	"io/fs"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// change runs a script that answers nothing.
func (f files) change(ctx context.Context, what, p, script string, args ...string) error {
	what += " " + quoted(p)
	e, err := f.entry(p)
	if err != nil {
		return prefix(what, err)
	}
	_, err = f.run(ctx, call{what: what, script: script, args: append([]string{e.folder, e.name}, args...)})
	return err
}

// Mkdir makes a folder; one that is there keeps its mode.
func (f files) Mkdir(ctx context.Context, p string, mode fs.FileMode) error {
	return f.change(ctx, "make folder", p, mkdirScript, octal(mode))
}

// Rename is one rename, unless the two lie on different file systems.
func (f files) Rename(ctx context.Context, from, to string) error {
	e, err := f.entry(to)
	if err != nil {
		return prefix("rename to "+quoted(to), err)
	}
	return f.change(ctx, "rename", from, renameScript, e.folder, e.name)
}

// Remove is rm -rf.
func (f files) Remove(ctx context.Context, p string) error {
	err := f.change(ctx, "remove", p, removeScript, f.served()...)
	if errors.Is(err, sandbox.NotFound) {
		return nil
	}
	return err
}

// Chmod follows a link where all of the file system is served, and refuses one
// elsewhere.
func (f files) Chmod(ctx context.Context, p string, mode fs.FileMode) error {
	return f.change(ctx, "change mode of", p, chmodScript, octal(mode))
}
