package workspace

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// amount is how much was copied, or is to be. It may be read while it grows.
type amount struct{ files, bytes atomic.Int64 }

// count walks the tree without reading files, and so finds what has to be
// refused before anything is sent.
func (t *tree) count() (*amount, error) {
	total := &amount{}
	return total, t.walk(func(e entry) error {
		if e.info.Mode().IsRegular() {
			total.files.Add(1)
			total.bytes.Add(e.info.Size())
		}
		return nil
	})
}

// pack writes the tree as one tar stream: modes and links as they are, times to
// the second, owners left out.
func (t *tree) pack(w io.Writer, done *amount) error {
	p := packer{tree: t, tar: tar.NewWriter(w), done: done, buf: make([]byte, 64<<10)}
	if err := t.walk(p.entry); err != nil {
		return err
	}
	return p.tar.Close()
}

type packer struct {
	*tree
	tar  *tar.Writer
	done *amount
	buf  []byte
}

func (p *packer) entry(e entry) error {
	h := &tar.Header{Name: e.path, Mode: int64(e.info.Mode().Perm()), ModTime: e.info.ModTime(), Format: tar.FormatPAX}
	h.ModTime = h.ModTime.Truncate(1e9) // a fraction would cost a header of its own
	switch mode := e.info.Mode(); {
	case mode.IsDir():
		h.Typeflag, h.Name = tar.TypeDir, e.path+"/"
	case mode.IsRegular():
		return p.file(e, h)
	default:
		h.Typeflag, h.Linkname = tar.TypeSymlink, e.target
	}
	return p.tar.WriteHeader(h)
}

// file writes as many bytes as the file has when it is opened: it may grow.
func (p *packer) file(e entry, h *tar.Header) error {
	file, err := e.dir.OpenFile(e.name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe in its place must not block
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return p.unreadable(e.path, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return p.unreadable(e.path, err)
	}
	if !info.Mode().IsRegular() {
		return p.refuse(e.path, "it was replaced by %s while it was copied", kind(info.Mode()))
	}
	h.Typeflag, h.Size = tar.TypeReg, info.Size()
	if err := p.tar.WriteHeader(h); err != nil {
		return err
	}
	return p.content(e.path, file, h.Size)
}

func (p *packer) content(path string, file io.Reader, size int64) error {
	for left := size; left > 0; {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		n, err := file.Read(p.buf[:min(left, int64(len(p.buf)))])
		if n > 0 {
			if _, err := p.tar.Write(p.buf[:n]); err != nil {
				return err
			}
			left -= int64(n)
			p.done.bytes.Add(int64(n))
		}
		if errors.Is(err, io.EOF) && left > 0 {
			return sandbox.Errorf(sandbox.Conflict, "copy %s: it shrank from %d to %d bytes while it was read; run again when it rests",
				p.shown(path), size, size-left)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return p.unreadable(path, err)
		}
	}
	p.done.files.Add(1)
	return nil
}
