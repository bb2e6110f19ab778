package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/localfiles"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// open opens a served folder that is still what it was when the sandbox was
// opened: a folder, not a link. What runs in a sandbox can move the sandbox's
// own folders away and put links there; the host must not write where they
// point. From the folder of all sandboxes down each step is checked; of a home
// or a configured dir only the last is, since those above are the user's.
func (f folders) open(folder string) (*os.Root, error) {
	above, steps := f.steps(folder)
	if above == folder {
		return openRoot(folder) // of the file system
	}
	if above != f.above {
		return openStep(folder, func() (os.FileInfo, error) { return os.Lstat(folder) }, func() (*os.Root, error) { return os.OpenRoot(folder) })
	}
	root, err := openRoot(above)
	if err != nil {
		return nil, err
	}
	for _, step := range steps {
		next, err := openStep(folder, func() (os.FileInfo, error) { return root.Lstat(step) }, func() (*os.Root, error) { return root.OpenRoot(step) })
		_ = root.Close()
		if err != nil {
			return nil, err
		}
		root = next
	}
	return root, nil
}

// steps are those that open checks, and the folder that they go down from.
func (f folders) steps(folder string) (above string, steps []string) {
	if rel, err := filepath.Rel(f.above, folder); err == nil && filepath.IsLocal(rel) && rel != "." {
		return f.above, strings.Split(rel, string(filepath.Separator))
	}
	return filepath.Dir(folder), []string{filepath.Base(folder)}
}

// look checks the same steps without opening any, for who wants to know only
// whether the folder is still what it was.
func (f folders) look(folder string) error {
	at, steps := f.steps(folder)
	for _, step := range steps {
		at = filepath.Join(at, step)
		info, err := os.Lstat(at)
		if err != nil {
			return localfiles.Classify("look at folder", err)
		}
		if !info.IsDir() {
			return replaced(folder)
		}
	}
	return nil
}

func openRoot(folder string) (*os.Root, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, localfiles.Classify("open folder", err)
	}
	return root, nil
}

// openStep opens what look has seen to be a folder, and nothing that was put
// there since.
func openStep(folder string, look func() (os.FileInfo, error), open func() (*os.Root, error)) (*os.Root, error) {
	seen, err := look()
	if err != nil {
		return nil, localfiles.Classify("open folder", err)
	}
	if !seen.IsDir() {
		return nil, replaced(folder)
	}
	root, err := open()
	if err != nil {
		return nil, localfiles.Classify("open folder", err)
	}
	got, err := root.Stat(".")
	if err == nil && !os.SameFile(seen, got) {
		err = replaced(folder)
	}
	if err != nil {
		_ = root.Close()
		return nil, localfiles.Classify("open folder", err)
	}
	return root, nil
}

func replaced(folder string) error {
	return &sandbox.Error{
		Class:   sandbox.Denied,
		Message: "open folder " + folder + ": something in the sandbox has put a link or a file in its place",
		Hint:    "destroy the sandbox, or put the folder back",
	}
}
