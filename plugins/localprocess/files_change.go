package main

import (
	"context"
	"io/fs"
	"path/filepath"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Mkdir gives a folder that it makes the mode (0: 0755), whatever the umask.
func (f files) Mkdir(_ context.Context, path string, mode fs.FileMode) error {
	a, err := f.find(path)
	if err != nil {
		return err
	}
	defer a.root.Close()
	if st, err := a.root.Stat(a.name); err == nil {
		if st.IsDir() {
			return nil
		}
		return sandbox.Errorf(sandbox.Conflict, "make folder %q: a file has this name", path)
	}
	if mode == 0 {
		mode = 0o755
	}
	if err := a.root.MkdirAll(a.name, 0o755); err != nil {
		return a.fail("make folder", err)
	}
	if err := a.root.Chmod(a.name, mode.Perm()); err != nil {
		return a.fail("make folder", err)
	}
	return nil
}

// Rename moves within one of the served folders, in which both paths must be.
func (f files) Rename(_ context.Context, from, to string) error {
	a, b, folder, err := f.both(from, to)
	if err != nil {
		return err
	}
	root, err := f.open(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	if a == "." || b == "." {
		return sandbox.Errorf(sandbox.Invalid, "rename file %q: it is the folder that holds all", from)
	}
	if err := root.Rename(a, b); err != nil {
		return classify("rename file "+from+" to "+to, err)
	}
	return nil
}

// both finds the narrowest served folder that holds the two paths.
func (f files) both(from, to string) (a, b, folder string, err error) {
	folderA, a, err := f.split(from)
	if err != nil {
		return "", "", "", err
	}
	folderB, b, err := f.split(to)
	if err != nil {
		return "", "", "", err
	}
	if folderA == folderB {
		return a, b, folderA, nil
	}
	for _, dir := range []string{f.info.StateDir, f.info.Root, f.info.Home} {
		relA, errA := filepath.Rel(dir, filepath.Join(folderA, a))
		relB, errB := filepath.Rel(dir, filepath.Join(folderB, b))
		if errA == nil && errB == nil && filepath.IsLocal(relA) && filepath.IsLocal(relB) {
			return relA, relB, dir, nil
		}
	}
	return "", "", "", &sandbox.Error{
		Class: sandbox.Invalid, Message: "rename file " + from + ": " + to + " is in another folder of the sandbox",
		Hint: "write the new file and remove the old",
	}
}

// Remove takes a folder away with all in it, following no link.
func (f files) Remove(ctx context.Context, path string) error {
	folder, name, err := f.split(path)
	if err != nil {
		return err
	}
	full := filepath.Join(folder, name)
	for _, dir := range []string{f.info.StateDir, f.info.Root, f.info.Home} {
		if rel, err := filepath.Rel(full, dir); err == nil && filepath.IsLocal(rel) {
			return sandbox.Errorf(sandbox.Invalid, "remove %q: it is or holds a root of the sandbox", path)
		}
	}
	root, err := f.open(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return classify("remove "+path, removeAll(ctx, root, name))
}

// Chmod follows a link, as everywhere.
func (f files) Chmod(_ context.Context, path string, mode fs.FileMode) error {
	a, err := f.find(path)
	if err != nil {
		return err
	}
	defer a.root.Close()
	if err := a.root.Chmod(a.name, mode.Perm()); err != nil {
		return a.fail("change mode of", err)
	}
	return nil
}
