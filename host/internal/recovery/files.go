package recovery

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Files implements sandbox.Filer.
func (b *box) Files() sandbox.Files { return files{b} }

type files struct{ *box }

// on makes a call on the sandbox's files.
func on[R any](ctx context.Context, f files, again func() bool, call func(sandbox.Files) (R, error)) (R, error) {
	return inIf(ctx, f.box, again, func(_ *life, sb sandbox.Sandbox) (R, error) {
		filer, err := sandbox.As[sandbox.Filer](sb)
		if err != nil {
			var none R
			return none, err
		}
		return call(filer.Files())
	})
}

func always() bool { return true }
func never() bool  { return false }

// do is on for a call without an answer.
func do(ctx context.Context, f files, again func() bool, call func(sandbox.Files) error) error {
	_, err := on(ctx, f, again, func(files sandbox.Files) (struct{}, error) { return struct{}{}, call(files) })
	return err
}

// Stat implements sandbox.Files.
func (f files) Stat(ctx context.Context, path string) (sandbox.FileInfo, error) {
	return on(ctx, f, always, func(files sandbox.Files) (sandbox.FileInfo, error) { return files.Stat(ctx, path) })
}

// List implements sandbox.Files.
func (f files) List(ctx context.Context, path string) ([]sandbox.FileInfo, error) {
	return on(ctx, f, always, func(files sandbox.Files) ([]sandbox.FileInfo, error) { return files.List(ctx, path) })
}

// Mkdir implements sandbox.Files.
func (f files) Mkdir(ctx context.Context, path string, mode fs.FileMode) error {
	return do(ctx, f, always, func(files sandbox.Files) error { return files.Mkdir(ctx, path, mode) })
}

// Rename implements sandbox.Files. A second one would tell that there is nothing
// to rename.
func (f files) Rename(ctx context.Context, from, to string) error {
	return do(ctx, f, never, func(files sandbox.Files) error { return files.Rename(ctx, from, to) })
}

// Remove implements sandbox.Files.
func (f files) Remove(ctx context.Context, path string) error {
	return do(ctx, f, always, func(files sandbox.Files) error { return files.Remove(ctx, path) })
}

// Chmod implements sandbox.Files.
func (f files) Chmod(ctx context.Context, path string, mode fs.FileMode) error {
	return do(ctx, f, always, func(files sandbox.Files) error { return files.Chmod(ctx, path, mode) })
}

// Read implements sandbox.Files. Once it is open it isn't opened again: the file
// may be another by then, and half of each is worse than an error.
func (f files) Read(ctx context.Context, path string, opts sandbox.ReadOptions) (io.ReadCloser, error) {
	return on(ctx, f, always, func(files sandbox.Files) (io.ReadCloser, error) { return files.Read(ctx, path, opts) })
}

// Write implements sandbox.Files.
func (f files) Write(ctx context.Context, path string, r io.Reader, opts sandbox.WriteOptions) error {
	src := &source{Reader: r}
	return do(ctx, f, src.rewind, func(files sandbox.Files) error { return files.Write(ctx, path, src, opts) })
}

// Push implements sandbox.Files.
func (f files) Push(ctx context.Context, path string, r io.Reader) error {
	src := &source{Reader: r}
	return do(ctx, f, src.rewind, func(files sandbox.Files) error { return files.Push(ctx, path, src) })
}

// Pull implements sandbox.Files.
func (f files) Pull(ctx context.Context, path string, w io.Writer) error {
	dst := &target{Writer: w}
	return do(ctx, f, func() bool { return !dst.used }, func(files sandbox.Files) error { return files.Pull(ctx, path, dst) })
}

// source is a reader that can be read again if nothing was taken of it or it can
// be wound back.
type source struct {
	io.Reader

	read int64
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		s.read = -1 << 62 // its own error isn't the plugin's: it is told
	}
	return n, err
}

func (s *source) rewind() bool {
	if s.read <= 0 {
		return s.read == 0
	}
	seeker, ok := s.Reader.(io.Seeker)
	if !ok {
		return false
	}
	_, err := seeker.Seek(-s.read, io.SeekCurrent)
	s.read = 0
	return err == nil
}

// target notes whether anything was written.
type target struct {
	io.Writer

	used bool
}

// Write implements io.Writer.
func (t *target) Write(p []byte) (int, error) {
	t.used = true
	return t.Writer.Write(p)
}
