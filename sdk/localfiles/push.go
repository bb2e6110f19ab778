package localfiles

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

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Push unpacks a tar stream under path. All goes through an os.Root on path,
// so no member leaves it, not even through a link that came before.
func (f files) Push(ctx context.Context, path string, r io.Reader) error {
	a, err := f.find(path, Use{Follow: true, Make: true})
	if err != nil {
		return err
	}
	defer a.root.Close()
	if err := a.root.MkdirAll(a.name, 0o755); err != nil {
		return a.fail("push", err)
	}
	root, err := a.root.OpenRoot(a.name)
	if err != nil {
		return a.fail("push", err)
	}
	defer root.Close()
	p := pusher{ctx: ctx, root: root}
	for in := tar.NewReader(under{ctx, r}); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = p.member(h, in)
		}
		if err != nil {
			return a.fail("push", asInvalid(err))
		}
	}
	if err := p.sealFolders(); err != nil {
		return a.fail("push", err)
	}
	return nil
}

// asInvalid blames the stream for a member that leads out, and for a torn one.
func asInvalid(err error) error {
	if escapes(err) || errors.Is(err, tar.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) {
		return sandbox.Errorf(sandbox.Invalid, "%w", err)
	}
	return err
}

type pusher struct {
	ctx     context.Context
	root    *os.Root
	folders []*tar.Header // get mode and time last: a write-protected one must be filled first
}

func (p *pusher) member(h *tar.Header, body io.Reader) error {
	name := filepath.FromSlash(strings.TrimRight(h.Name, "/"))
	if name == "" || name == "." {
		return nil
	}
	name = strings.TrimPrefix(name, "./")
	if !filepath.IsLocal(name) {
		return sandbox.Errorf(sandbox.Invalid, "member %q leads out of the folder", h.Name)
	}
	err := p.unpack(name, h, body)
	if err != nil {
		return fmt.Errorf("member %q: %w", h.Name, err)
	}
	return nil
}

func (p *pusher) unpack(name string, h *tar.Header, body io.Reader) error {
	if dir := filepath.Dir(name); dir != "." {
		if err := p.root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if isSparse(h) {
		return sandbox.Errorf(sandbox.Invalid, "it is sparse: it would take %d bytes that aren't in the stream", h.Size)
	}
	old, err := p.root.Lstat(name)
	if h.Typeflag == tar.TypeDir {
		h.Name = name
		p.folders = append(p.folders, h)
		if err == nil && old.IsDir() {
			return nil
		}
	}
	// What stands there is replaced, never written through: a file only once the new
	// one is whole.
	if err == nil && (h.Typeflag != tar.TypeReg || old.IsDir()) {
		if err := p.root.Remove(name); err != nil {
			return err
		}
	}
	mode := fs.FileMode(h.Mode).Perm()
	switch h.Typeflag {
	case tar.TypeDir:
		return p.root.Mkdir(name, 0o700)
	case tar.TypeReg:
		return fill(p.ctx, p.root, name, body, mode, h.ModTime)
	case tar.TypeSymlink:
		return p.root.Symlink(h.Linkname, name)
	case tar.TypeLink:
		return p.hardLink(h.Linkname, name)
	}
	return sandbox.Errorf(sandbox.Invalid, "its kind %q isn't a file, folder or link", h.Typeflag)
}

// isSparse is true for files whose holes are only described: a stream of a few
// bytes could fill the disk.
func isSparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return h.Typeflag == tar.TypeGNUSparse
}

func (p *pusher) hardLink(target, name string) error {
	if !filepath.IsLocal(target) {
		return sandbox.Errorf(sandbox.Invalid, "its target %q leads out of the folder", target)
	}
	return p.root.Link(target, name)
}

func (p *pusher) sealFolders() error {
	for i := len(p.folders) - 1; i >= 0; i-- {
		h := p.folders[i]
		if st, err := p.root.Lstat(h.Name); err != nil || !st.IsDir() {
			continue // a later member replaced it
		}
		if err := p.root.Chmod(h.Name, fs.FileMode(h.Mode).Perm()); err != nil {
			return err
		}
		if err := p.root.Chtimes(h.Name, h.ModTime, h.ModTime); err != nil {
			return err
		}
	}
	return nil
}
