package localfiles

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Machine is every file of this machine, for who is inside of the sandbox: what
// its user may do is done, and links are followed as the kernel does.
type Machine struct {
	Root string   // absolute folder that relative paths are under
	Keep []string // folders that can't be removed, nor what is above them; Root is one
}

// longest is how much of a path the kernel is given at once; it takes 4095 bytes.
const longest = 4000

// At opens the folder that the last element is in.
func (m Machine) At(path string, use Use) (At, error) {
	folder, name, err := m.split(path)
	if err != nil {
		return At{}, err
	}
	if use.Make {
		if err := makeFolder(folder); err != nil {
			return At{}, Classify("make folders of "+strconv.Quote(path), err)
		}
	}
	root, err := openFolder(folder)
	if err != nil {
		return At{}, Classify("open "+strconv.Quote(path), err)
	}
	at := At{root, name}
	if !use.Follow || name == "." {
		return at, nil
	}
	if st, err := root.Lstat(name); err != nil || st.Mode()&fs.ModeSymlink == 0 {
		return at, nil
	}
	_ = root.Close() // nothing was written
	real, err := filepath.EvalSymlinks(folder + "/" + name)
	if err != nil {
		return At{}, Classify("follow link "+strconv.Quote(path), err)
	}
	return m.At(real, Use{})
}

// split finds the last element. One of dots is part of the folder: what it means
// depends on links.
func (m Machine) split(path string) (folder, name string, err error) {
	if strings.IndexByte(path, 0) >= 0 {
		return "", "", sandbox.Errorf(sandbox.Invalid, "open path %q: it has a NUL byte", path)
	}
	full := path
	if !strings.HasPrefix(path, "/") {
		full = m.Root + "/" + path
	}
	full = strings.TrimRight(full, "/")
	cut := strings.LastIndexByte(full, '/')
	if cut < 0 {
		return "/", ".", nil
	}
	if name = full[cut+1:]; name == "." || name == ".." {
		return full, ".", nil
	}
	return full[:cut] + "/", name, nil
}

// openFolder opens no pipe that stands in a folder's place: with a dot at its end
// a path can only be a folder's.
func openFolder(folder string) (*os.Root, error) {
	short, rest := cutPath(folder)
	root, err := os.OpenRoot(short + "/.")
	if err != nil || rest == "" {
		return root, err
	}
	defer root.Close()
	return root.OpenRoot(rest)
}

func makeFolder(folder string) error {
	short, rest := cutPath(folder)
	if err := os.MkdirAll(short, 0o755); err != nil || rest == "" {
		return err
	}
	root, err := os.OpenRoot(short + "/.")
	if err != nil {
		return err
	}
	defer root.Close()
	return root.MkdirAll(rest, 0o755)
}

// cutPath takes off what is too long for one call.
func cutPath(folder string) (short, rest string) {
	if len(folder) <= longest {
		return folder, ""
	}
	cut := strings.LastIndexByte(folder[:longest], '/')
	return folder[:cut+1], strings.Trim(folder[cut+1:], "/")
}

// Rename moves a file also to another file system, as there can be several in one
// sandbox, and as an overlay is several.
func (m Machine) Rename(from, to string) error {
	what := "rename file " + strconv.Quote(from) + " to " + strconv.Quote(to)
	var paths [2]string
	for i, path := range []string{from, to} {
		folder, name, err := m.split(path)
		if err != nil {
			return err
		}
		if name == "." {
			return sandbox.Errorf(sandbox.Invalid, "%s: %q names no entry of a folder", what, path)
		}
		paths[i] = folder + name
	}
	err := os.Rename(paths[0], paths[1])
	if errors.Is(err, syscall.EXDEV) {
		return &sandbox.Error{
			Class: sandbox.Invalid, Message: what + ": it is on another file system of the sandbox", Cause: err,
			Hint: "write the new file and remove the old, or run mv in the sandbox",
		}
	}
	return Classify(what, err)
}

// MayRemove compares real paths, so that no link hides what a path means.
func (m Machine) MayRemove(path string) error {
	folder, name, err := m.split(path)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil // the removal tells
	}
	real = filepath.Join(real, name)
	for _, dir := range append([]string{m.Root}, m.Keep...) {
		if rel, err := filepath.Rel(real, dir); err == nil && filepath.IsLocal(rel) {
			return sandbox.Errorf(sandbox.Invalid, "remove %q: it is or holds a root of the sandbox", path)
		}
	}
	if name == "." {
		return sandbox.Errorf(sandbox.Invalid, "remove %q: it names no entry of a folder", path)
	}
	return nil
}
