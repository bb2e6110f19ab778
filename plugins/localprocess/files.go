package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/localfiles"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// folders are Root, Home and StateDir, each opened as an os.Root: no link and no
// ".." leads out of them.
type folders struct {
	info  sandbox.Info
	above string // the real folder of all sandboxes
}

// Files serves the sandbox's files.
func (b *box) Files() sandbox.Files { return localfiles.New(folders{info: b.info, above: b.above}) }

// At opens the folder that path lies in. Links are followed inside of it.
func (f folders) At(path string, use localfiles.Use) (localfiles.At, error) {
	folder, name, err := f.split(path)
	if err != nil {
		return localfiles.At{}, err
	}
	root, err := f.open(folder)
	if err != nil {
		return localfiles.At{}, err
	}
	if dir := filepath.Dir(name); use.Make && dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			_ = root.Close()
			return localfiles.At{}, localfiles.Classify("make folders of "+strconv.Quote(path), err)
		}
	}
	return localfiles.At{Root: root, Name: name}, nil
}

// split finds the narrowest of the served folders that path is under.
func (f folders) split(path string) (folder, name string, err error) {
	if strings.IndexByte(path, 0) >= 0 {
		return "", "", sandbox.Errorf(sandbox.Invalid, "open path %q: it has a NUL byte", path)
	}
	if !filepath.IsAbs(path) {
		return f.info.Root, tidyName(path), nil
	}
	for _, dir := range []string{f.info.StateDir, f.info.Root, f.info.Home} {
		rest, ok := strings.CutPrefix(path, dir)
		if ok && (rest == "" || dir == "/" || os.IsPathSeparator(rest[0])) && len(dir) > len(folder) {
			folder, name = dir, tidyName(rest)
		}
	}
	if folder == "" {
		return "", "", sandbox.Errorf(sandbox.Denied,
			"open path %q: localprocess serves files under root, home and state folder only", path)
	}
	return folder, name, nil
}

// tidyName makes a name relative. It leaves ".." alone: what that means
// depends on links, which os.Root resolves.
func tidyName(name string) string {
	if name = strings.Trim(name, "/"); name == "" {
		return "."
	}
	return name
}

// Rename moves within one of the served folders, in which both paths must be.
func (f folders) Rename(from, to string) error {
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
	return localfiles.Classify("rename file "+from+" to "+to, root.Rename(a, b))
}

// both finds the narrowest served folder that holds the two paths.
func (f folders) both(from, to string) (a, b, folder string, err error) {
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

// MayRemove refuses the folders that are served, and what holds one.
func (f folders) MayRemove(path string) error {
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
	return nil
}
