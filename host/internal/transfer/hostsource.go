package transfer

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// maxDepth is how deep folders may be nested: one is held open for each level.
const maxDepth = 512

// separators are those of paths of this machine.
var separators = string([]rune{'/', os.PathSeparator})

// HostSource is a file or folder of this machine.
type HostSource struct {
	Path string // as written
	Dir  string // working directory, absolute
	Skip string // absolute folder that must not lie in it, since it would be copied into itself; may be empty
}

func (s HostSource) String() string { return fmt.Sprintf("%q", s.Path) }

// open opens the folder that holds it, or, where what is in it is wanted, itself:
// then the person means the folder that a link points to.
func (s HostSource) open() (*os.Root, string, error) {
	full := s.Path
	if !filepath.IsAbs(full) {
		full = s.Dir + string(os.PathSeparator) + full
	}
	slash, contents := ending(s.Path, separators)
	name := "."
	if clean := filepath.Clean(full); !slash && !contents && filepath.Base(clean) != string(os.PathSeparator) {
		full, name = filepath.Dir(clean), filepath.Base(clean)
	}
	root, err := os.OpenRoot(full)
	if err != nil {
		return nil, "", s.fail("", err)
	}
	return root, name, nil
}

func (s HostSource) look(context.Context) (thing, error) {
	root, name, err := s.open()
	if err != nil {
		return thing{}, err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil {
		return thing{}, s.fail("", err)
	}
	if kind := special(info.Mode()); kind != "" {
		return thing{}, sandbox.Errorf(sandbox.Invalid, "copy %s: it is %s, and only files, folders and links are copied", s, kind)
	}
	t := thing{dir: info.IsDir(), base: name}
	_, t.contents = ending(s.Path, separators)
	if name == "." {
		t.base = filepath.Base(filepath.Clean(root.Name()))
	}
	if t.dir && s.Skip != "" && holds(filepath.Join(root.Name(), name), s.Skip) {
		return thing{}, sandbox.Errorf(sandbox.Invalid, "copy %s: the sandbox itself lies in it, in %s: it would be copied into itself", s, s.Skip)
	}
	return t, nil
}

// holds reports whether a folder holds another, links resolved.
func holds(outer, inner string) bool {
	for _, p := range []*string{&outer, &inner} {
		if real, err := filepath.EvalSymlinks(*p); err == nil {
			*p = real
		}
	}
	rel, err := filepath.Rel(outer, inner)
	return err == nil && filepath.IsLocal(rel)
}

func (s HostSource) each(ctx context.Context, name string, job *Job, give func(*tar.Header, io.Reader) error) error {
	root, own, err := s.open()
	if err != nil {
		return err
	}
	defer root.Close()
	w := walker{s, ctx, job, give}
	if name == "" {
		return w.folder(root, own, "", "", 0)
	}
	return w.entry(root, own, name, "", 0)
}

type walker struct {
	HostSource

	ctx  context.Context //nolint:containedctx // a walker is one call
	job  *Job
	give func(*tar.Header, io.Reader) error
}

// entry gives out what is at name in dir, under the member's name. Rel is its path
// below the source, for messages.
func (w walker) entry(dir *os.Root, name, member, rel string, depth int) error {
	if err := w.ctx.Err(); err != nil {
		return context.Cause(w.ctx)
	}
	info, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) && rel != "" {
		return nil // removed meanwhile
	}
	if err != nil {
		return w.fail(rel, err)
	}
	h := &tar.Header{Name: member, Mode: int64(info.Mode().Perm()), ModTime: info.ModTime(), Format: tar.FormatPAX}
	switch mode := info.Mode(); {
	case mode.IsDir():
		h.Typeflag, h.Name = tar.TypeDir, member+"/"
		if err := w.give(h, nil); err != nil {
			return err
		}
		return w.folder(dir, name, member, rel, depth)
	case mode.IsRegular():
		return w.file(dir, name, rel, h)
	case mode&fs.ModeSymlink != 0:
		target, err := dir.Readlink(name)
		if err != nil {
			return w.fail(rel, err)
		}
		h.Typeflag, h.Linkname = tar.TypeSymlink, filepath.ToSlash(target)
		return w.give(h, nil)
	default:
		w.job.note(rel, "left out: it is "+special(mode))
		return nil
	}
}

func (w walker) folder(dir *os.Root, name, member, rel string, depth int) error {
	if depth > maxDepth {
		return sandbox.Errorf(sandbox.Invalid, "copy %s: %q is nested deeper than %d folders", w, rel, maxDepth)
	}
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return w.fail(rel, err)
	}
	defer sub.Close()
	list, err := sub.Open(".")
	if err != nil {
		return w.fail(rel, err)
	}
	names, err := list.Readdirnames(-1)
	_ = list.Close()
	if err != nil {
		return w.fail(rel, err)
	}
	slices.Sort(names)
	for _, n := range names {
		if err := w.entry(sub, n, under(member, n), under(rel, n), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// file gives out as many bytes as the file has when it is opened: it may grow.
func (w walker) file(dir *os.Root, name, rel string, h *tar.Header) error {
	file, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe in its place must not block
	if err != nil {
		return w.fail(rel, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return w.fail(rel, err)
	}
	if !info.Mode().IsRegular() {
		w.job.note(rel, "left out: it was replaced by "+special(info.Mode())+" meanwhile")
		return nil
	}
	h.Typeflag, h.Size = tar.TypeReg, info.Size()
	return w.give(h, &exactly{w: w, rel: rel, from: file, left: h.Size, size: h.Size})
}

// exactly reads as many bytes as were promised.
type exactly struct {
	w          walker
	rel        string
	from       io.Reader
	left, size int64
}

// Read implements io.Reader.
func (e *exactly) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n, err := e.from.Read(p[:min(int64(len(p)), e.left)])
	e.left -= int64(n)
	switch {
	case errors.Is(err, io.EOF) && e.left > 0:
		return n, sandbox.Errorf(sandbox.Conflict, "copy %s: it shrank from %d to %d bytes while it was read; copy it again when it rests",
			e.w.shown(e.rel), e.size, e.size-e.left)
	case err != nil && !errors.Is(err, io.EOF):
		return n, e.w.fail(e.rel, err)
	}
	return n, err
}

func (s HostSource) shown(rel string) string {
	return fmt.Sprintf("%q", under(strings.TrimRight(s.Path, separators), filepath.ToSlash(rel)))
}

// fail gives an error of the file system its class, and the path as it was written.
func (s HostSource) fail(rel string, err error) error {
	return hostError("copy "+s.shown(rel), err)
}

func special(mode fs.FileMode) string {
	switch {
	case mode.IsRegular(), mode.IsDir(), mode&fs.ModeSymlink != 0:
		return ""
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "neither file nor folder"
}
