package gitsource

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Pack writes the work tree and its .git folder as one tar stream; moved is told
// of each file, and of each piece of one.
func (t *Tree) Pack(ctx context.Context, w io.Writer, moved func(files, bytes int64)) error {
	p := &packer{tar: tar.NewWriter(w), moved: moved, now: time.Now().Truncate(time.Second), buf: make([]byte, 64<<10)}
	if err := p.tree(ctx, t, ""); err != nil {
		return t.job.scrub(ctx, err)
	}
	t.large.warn(t.job)
	return p.tar.Close()
}

type packer struct {
	tar   *tar.Writer
	moved func(files, bytes int64)
	now   time.Time // of every file, as after git clone
	buf   []byte
}

// tree writes a commit below a path, which is empty or ends in a slash.
func (p *packer) tree(ctx context.Context, t *Tree, below string) error {
	if err := p.gitFolder(ctx, t, below+".git"); err != nil {
		return err
	}
	if err := p.workTree(ctx, t, below); err != nil {
		return fmt.Errorf("copy the repository: %w", err)
	}
	for _, sub := range t.below {
		if err := p.tree(ctx, sub.tree, below+sub.path+"/"); err != nil {
			return err
		}
		t.large.add(sub.tree.large, sub.path+"/")
	}
	return nil
}

func (p *packer) header(kind byte, name string, mode fs.FileMode) *tar.Header {
	return &tar.Header{Typeflag: kind, Name: name, Mode: int64(mode), ModTime: p.now, Format: tar.FormatPAX}
}

// gitFolder writes the git folder that was made for the sandbox. Git alone has
// written there; all that it holds is files and folders.
func (p *packer) gitFolder(ctx context.Context, t *Tree, name string) error {
	return filepath.WalkDir(t.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(t.dir, path)
		if err != nil {
			return err
		}
		full := name
		if rel != "." {
			full += "/" + filepath.ToSlash(rel)
		}
		switch {
		case d.IsDir():
			return p.tar.WriteHeader(p.header(tar.TypeDir, full+"/", 0o755))
		case !d.Type().IsRegular():
			return sandbox.Errorf(sandbox.Internal, "git made %s, which is no file", path)
		}
		return p.gitFile(path, full)
	})
}

func (p *packer) gitFile(path, name string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	h := p.header(tar.TypeReg, name, 0o644)
	if info.Mode()&0o200 == 0 {
		h.Mode = 0o444 // packs
	}
	h.Size = info.Size()
	if err := p.tar.WriteHeader(h); err != nil {
		return err
	}
	return p.content(f, h.Size)
}

func (p *packer) content(r io.Reader, size int64) error {
	for left := size; left > 0; {
		n, err := r.Read(p.buf[:min(left, int64(len(p.buf)))])
		if n > 0 {
			if _, err := p.tar.Write(p.buf[:n]); err != nil {
				return err
			}
			left -= int64(n)
			p.moved(0, int64(n))
		}
		if errors.Is(err, io.EOF) && left > 0 {
			return io.ErrUnexpectedEOF
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	return nil
}

// gitSize is how much the git folder holds, in bytes.
func (t *Tree) gitSize() (int64, error) {
	var size int64
	err := filepath.WalkDir(t.dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
