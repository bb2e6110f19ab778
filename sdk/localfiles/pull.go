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
	"syscall"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Pull writes a folder's content, or one file under its own name, as a tar
// stream. Pipes, sockets and devices are left out.
func (f files) Pull(ctx context.Context, path string, w io.Writer) error {
	a, err := f.find(path, Use{})
	if err != nil {
		return err
	}
	defer a.root.Close()
	info, err := a.root.Lstat(a.name)
	if err != nil {
		return a.fail("pull", err)
	}
	p := puller{ctx: ctx, root: a.root, tar: tar.NewWriter(w)}
	if info.IsDir() {
		err = p.folder(a.name, "")
	} else {
		err = p.entry(a.name, filepath.Base(a.name), info)
	}
	if err == nil {
		err = p.tar.Close()
	}
	if err != nil {
		return a.fail("pull", err)
	}
	return nil
}

type puller struct {
	ctx  context.Context
	root *os.Root
	tar  *tar.Writer
}

func (p puller) folder(name, member string) error {
	names, err := readNames(p.root, name)
	if err != nil {
		return err
	}
	for _, n := range names {
		full := filepath.Join(name, n)
		info, err := p.root.Lstat(full)
		if err == nil {
			err = p.entry(full, member+n, info)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			return err
		}
	}
	return nil
}

func (p puller) entry(name, member string, info fs.FileInfo) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	h := &tar.Header{Name: member, Mode: int64(info.Mode().Perm()), ModTime: info.ModTime(), Format: tar.FormatPAX}
	switch kindOf(info.Mode()) {
	case sandbox.KindDir:
		h.Typeflag, h.Name = tar.TypeDir, member+"/"
		if err := p.tar.WriteHeader(h); err != nil {
			return err
		}
		return p.folder(name, member+"/")
	case sandbox.KindLink:
		target, err := p.root.Readlink(name)
		if err != nil {
			return err
		}
		h.Typeflag, h.Linkname = tar.TypeSymlink, target
		return p.tar.WriteHeader(h)
	case sandbox.KindFile:
		return p.file(name, h)
	}
	return nil
}

// file writes as many bytes as the file has when it is opened: it may grow.
func (p puller) file(name string, h *tar.Header) error {
	file, err := p.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return nil // replaced meanwhile
	}
	h.Typeflag, h.Size = tar.TypeReg, info.Size()
	if err := p.tar.WriteHeader(h); err != nil {
		return err
	}
	n, err := io.CopyN(p.tar, under{p.ctx, file}, h.Size)
	if errors.Is(err, io.EOF) {
		return sandbox.Errorf(sandbox.Conflict, "file %s shrank from %d to %d bytes while it was read", name, h.Size, n)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}
