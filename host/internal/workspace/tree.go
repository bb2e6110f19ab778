package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitignore"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

const (
	// maxDepth is how deep folders may be nested: one is held open for each level.
	maxDepth = 512
	// maxIgnore is the longest .gitignore file that is read, in bytes.
	maxIgnore = 1 << 20
)

// tree walks a folder of the host that isn't trusted.
type tree struct {
	ctx    context.Context
	path   string   // of the folder, for messages
	top    *os.Root // the folder
	ignore bool     // heed .gitignore files
	skip   []string // left out, relative to the top
}

// entry is a file, folder or link of a tree.
type entry struct {
	dir    *os.Root    // the folder that holds it
	name   string      // in that folder
	path   string      // relative to the top, with slashes
	info   fs.FileInfo // its links not followed
	target string      // of a link
}

// walk visits every entry, a folder before what is in it, names sorted. What
// vanishes meanwhile is left out; what may not be copied ends it.
func (t *tree) walk(visit func(entry) error) error {
	return t.folder(t.top, "", 0, nil, visit)
}

func (t *tree) folder(dir *os.Root, path string, depth int, rules *gitignore.Rules, visit func(entry) error) error {
	if depth > maxDepth {
		return t.refuse(path, "it is nested deeper than %d folders", maxDepth)
	}
	names, err := names(dir)
	if err != nil {
		return t.unreadable(path, err)
	}
	if t.ignore && slices.Contains(names, ".gitignore") {
		text, err := ignoreFile(dir)
		if err != nil {
			return t.unreadable(join(path, ".gitignore"), err)
		}
		rules = rules.In(path, text)
	}
	for _, name := range names {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		info, err := dir.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		e := entry{dir: dir, name: name, path: join(path, name), info: info}
		if err != nil {
			return t.unreadable(e.path, err)
		}
		if t.leavesOut(e, rules) {
			continue
		}
		below := rules
		if name == ".git" {
			below = nil // what git keeps for itself isn't ignored
		}
		if err := t.entry(e, depth, below, visit); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) entry(e entry, depth int, rules *gitignore.Rules, visit func(entry) error) error {
	switch mode := e.info.Mode(); {
	case mode.IsRegular():
		return visit(e)
	case mode.IsDir():
		if err := visit(e); err != nil {
			return err
		}
		sub, err := e.dir.OpenRoot(e.name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return t.unreadable(e.path, err)
		}
		defer sub.Close()
		inner := *t
		inner.ignore = t.ignore && e.name != ".git"
		return inner.folder(sub, e.path, depth+1, rules, visit)
	case mode&fs.ModeSymlink != 0:
		target, err := e.dir.Readlink(e.name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return t.unreadable(e.path, err)
		}
		if why := t.leads(e.path, target); why != "" {
			return t.refuse(e.path, "%s", why)
		}
		e.target = target
		return visit(e)
	default:
		return t.refuse(e.path, "it is %s, and only files, folders and links are copied", kind(mode))
	}
}

// leavesOut tells what isn't copied, and isn't even looked at.
func (t *tree) leavesOut(e entry, rules *gitignore.Rules) bool {
	return slices.Contains(t.skip, e.path) ||
		e.info.Mode()&fs.ModeSocket != 0 && strings.HasSuffix(e.path, ".git/fsmonitor--daemon.ipc") || // of git's own daemon
		t.ignore && e.name != ".git" && rules.Ignored(e.path, e.info.IsDir())
}

func kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "neither file nor folder"
}

// names are the entries of a folder, sorted.
func names(dir *os.Root) ([]string, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := f.Readdirnames(-1)
	slices.Sort(all)
	return all, err
}

// ignoreFile reads a folder's .gitignore, which git doesn't read through a link.
func ignoreFile(dir *os.Root) ([]byte, error) {
	info, err := dir.Lstat(".gitignore")
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil //nolint:nilerr // whatever it is, it isn't one
	}
	f, err := dir.OpenFile(".gitignore", os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxIgnore+1))
	if err == nil && len(text) > maxIgnore {
		err = sandbox.Errorf(sandbox.Invalid, "it is longer than %d bytes", maxIgnore)
	}
	return text, err
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// refuse names what can't be copied, why, and what to do.
func (t *tree) refuse(path, format string, args ...any) error {
	err := sandbox.Errorf(sandbox.Invalid, format, args...)
	return &sandbox.Error{
		Class: sandbox.Invalid, Message: "copy " + t.shown(path) + ": " + err.Error(),
		Hint: "remove it, or leave it out: gitignore = true and a line in a .gitignore file",
	}
}

// unreadable is an error of the file system, with what to do where that is known.
func (t *tree) unreadable(path string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err // the path in it is a piece of ours
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return &sandbox.Error{
			Class: sandbox.Denied, Message: "copy " + t.shown(path) + ": " + err.Error(), Cause: err,
			Hint: "make it readable, or leave it out: gitignore = true and a line in a .gitignore file",
		}
	case errors.Is(err, sandbox.Invalid):
		return sandbox.Errorf(sandbox.Invalid, "copy %s: %w", t.shown(path), err)
	}
	return sandbox.Errorf(sandbox.Unavailable, "copy %s: %w", t.shown(path), err)
}

// shown is a path for a message: quoted where it holds what isn't printed.
func (t *tree) shown(path string) string {
	return quoted(filepath.Join(t.path, filepath.FromSlash(path)))
}
