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
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
	"github.com/sandlot-dev/sandlot/sdk/unseen"
)

// unpacker writes what a sandbox sends into a folder of this machine. Nothing is
// written through what stands there: each entry is made under a name of its own
// and then takes its place.
type unpacker struct {
	ctx  context.Context //nolint:containedctx // an unpacker is one call
	to   string          // the target, for messages
	root *os.Root
	job  *Job

	names   map[string]string // as written, by what a file system may take it for
	folders []*tar.Header     // made here: they get mode and time last
}

func (u *unpacker) fail(name string, err error) error {
	return hostError(fmt.Sprintf("copy to %s: write %q", u.to, name), err)
}

func (u *unpacker) entry(h *tar.Header, body io.Reader) error {
	if err := u.ctx.Err(); err != nil {
		return context.Cause(u.ctx)
	}
	name, err := local(h.Name)
	if err != nil || name == "" {
		return err
	}
	if sparse(h) {
		return sandbox.Errorf(sandbox.Invalid, "copy to %s: %q is sparse: it would take %d bytes that the sandbox doesn't send", u.to, name, h.Size)
	}
	if err := u.distinct(name); err != nil {
		return err
	}
	if dir := filepath.Dir(name); dir != "." {
		if err := u.root.MkdirAll(dir, 0o755); err != nil {
			return u.fail(name, err)
		}
	}
	old, err := u.root.Lstat(name)
	there := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return u.fail(name, err)
	}
	switch {
	case h.Typeflag == tar.TypeDir && !there:
		err = u.root.Mkdir(name, 0o700)
		u.folders = append(u.folders, &tar.Header{Name: name, Mode: h.Mode, ModTime: h.ModTime})
	case h.Typeflag == tar.TypeDir && !old.IsDir():
		return sandbox.Errorf(sandbox.Conflict, "copy to %s: %q is a folder, and a file stands in its place", u.to, name)
	case h.Typeflag == tar.TypeDir: // it keeps its mode
	case there && old.IsDir():
		return sandbox.Errorf(sandbox.Conflict, "copy to %s: %q is a file, and a folder stands in its place", u.to, name)
	default:
		err = u.replace(name, h, body)
	}
	if err != nil {
		return u.fail(name, err)
	}
	return nil
}

// replace puts a file or link in its place, whole.
func (u *unpacker) replace(name string, h *tar.Header, body io.Reader) error {
	var err error
	switch h.Typeflag {
	case tar.TypeReg:
		err = u.file(name, h, body)
	case tar.TypeSymlink, tar.TypeLink:
		err = u.link(name, h)
	default:
		u.job.note(name, "left out: it is "+unusual(h.Typeflag))
		return nil
	}
	if err != nil {
		return err
	}
	u.names[folded(name)] = name
	u.job.Amount.Files.Add(1)
	return nil
}

func (u *unpacker) link(name string, h *tar.Header) (err error) {
	tmp := filepath.Join(filepath.Dir(name), temporary(u.job.Mark))
	defer func() { // after a rename there is nothing, but where both names are of one file
		if rerr := u.root.Remove(tmp); err == nil && rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = rerr
		}
	}()
	if h.Typeflag == tar.TypeLink {
		err = u.hardLink(tmp, h.Linkname)
	} else {
		if !stays(name, h.Linkname) {
			u.job.note(name, fmt.Sprintf("is a link that leads out of what is copied, to %q", h.Linkname))
		}
		err = u.root.Symlink(filepath.FromSlash(h.Linkname), tmp)
	}
	if err != nil {
		return err
	}
	return u.root.Rename(tmp, name)
}

func (u *unpacker) file(name string, h *tar.Header, body io.Reader) (err error) {
	file, err := unseen.Create(u.root, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := io.Copy(io.MultiWriter(file, counted{&u.job.Amount}), stopping{u.ctx, body}); err != nil {
		return err
	}
	if err := file.Chmod(fs.FileMode(h.Mode).Perm()); err != nil {
		return err
	}
	return file.Place(h.ModTime)
}

// hardLink makes another name of a file that was written a moment ago: one that was
// here before is none of the sandbox's.
func (u *unpacker) hardLink(tmp, target string) error {
	name, err := local(target)
	if err != nil {
		return err
	}
	if u.names[folded(name)] != name {
		return sandbox.Errorf(sandbox.Invalid, "it is another name of %q, which the sandbox didn't send before", name)
	}
	return u.root.Link(name, tmp)
}

// seal gives the folders that were made their modes and times, also after a
// failure: a write-protected one had to be filled first.
func (u *unpacker) seal() error {
	for i := len(u.folders) - 1; i >= 0; i-- {
		h := u.folders[i]
		if info, err := u.root.Lstat(h.Name); err != nil || !info.IsDir() {
			continue
		}
		if err := u.root.Chmod(h.Name, fs.FileMode(h.Mode).Perm()); err != nil {
			return u.fail(h.Name, err)
		}
		if err := u.root.Chtimes(h.Name, h.ModTime, h.ModTime); err != nil {
			return u.fail(h.Name, err)
		}
	}
	return nil
}

// distinct refuses a name that this file system takes for that of another entry,
// which would be lost.
func (u *unpacker) distinct(name string) error {
	other, ok := u.names[folded(name)]
	if !ok {
		u.names[folded(name)] = name
		return nil
	}
	if other == name {
		return nil
	}
	a, errA := u.root.Lstat(other)
	b, errB := u.root.Lstat(name)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return sandbox.Errorf(sandbox.Conflict, "copy to %s: %q and %q are two in the sandbox, and would be one here", u.to, other, name)
	}
	return nil
}

// folded is what names have in common that differ by case, or by the way in which
// letters are put together, only.
func folded(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// stays reports whether a link leads to somewhere in the tree that it is copied
// with.
func stays(name, target string) bool {
	return !strings.HasPrefix(target, "/") && filepath.IsLocal(filepath.Join(filepath.Dir(name), filepath.FromSlash(target)))
}

func unusual(kind byte) string {
	switch kind {
	case tar.TypeChar, tar.TypeBlock:
		return "a device"
	case tar.TypeFifo:
		return "a named pipe"
	}
	return "neither file, folder nor link"
}

// stopping reads as long as a context lasts.
type stopping struct {
	ctx context.Context //nolint:containedctx // a reader is the call it is for
	r   io.Reader
}

// Read implements io.Reader.
func (s stopping) Read(p []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	return s.r.Read(p)
}
