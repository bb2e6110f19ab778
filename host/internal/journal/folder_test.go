//go:build unix

package journal

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// folder are the files of this machine as a sandbox's, with what a copy needs.
// It counts what is read, and may break off.
type folder struct {
	sandbox.Files

	read    int64
	largest int   // bytes of one read
	piece   int   // most bytes that one read gives; 0: as asked
	failAt  int64 // bytes after which reading fails; 0: never
}

func (f *folder) Stat(_ context.Context, path string) (sandbox.FileInfo, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return sandbox.FileInfo{}, classOf(err)
	}
	kind := sandbox.KindOther
	switch {
	case info.Mode().IsRegular():
		kind = sandbox.KindFile
	case info.IsDir():
		kind = sandbox.KindDir
	case info.Mode()&fs.ModeSymlink != 0:
		kind = sandbox.KindLink
	}
	return sandbox.FileInfo{Name: info.Name(), Kind: kind, Size: info.Size()}, nil
}

func (f *folder) Read(_ context.Context, path string, opts sandbox.ReadOptions) (io.ReadCloser, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, classOf(err)
	}
	if _, err := file.Seek(opts.Offset, io.SeekStart); err != nil {
		return nil, err
	}
	return &counted{folder: f, file: file, left: opts.Limit}, nil
}

func (f *folder) Remove(_ context.Context, path string) error { return os.RemoveAll(path) }

func (f *folder) Chmod(_ context.Context, path string, mode fs.FileMode) error {
	return os.Chmod(path, mode)
}

func classOf(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return sandbox.Errorf(sandbox.NotFound, "%w", err)
	case errors.Is(err, fs.ErrPermission):
		return sandbox.Errorf(sandbox.Denied, "%w", err)
	}
	return sandbox.Errorf(sandbox.Internal, "%w", err)
}

type counted struct {
	folder *folder
	file   *os.File
	left   int64
}

func (c *counted) Read(b []byte) (int, error) {
	c.folder.largest = max(c.folder.largest, len(b))
	if c.left == 0 {
		return 0, io.EOF
	}
	if c.folder.failAt > 0 && c.folder.read >= c.folder.failAt {
		return 0, sandbox.Errorf(sandbox.Unavailable, "the connection is gone")
	}
	if p := c.folder.piece; p > 0 && len(b) > p {
		b = b[:p]
	}
	n, err := c.file.Read(b[:min(int64(len(b)), c.left)])
	c.left -= int64(n)
	c.folder.read += int64(n)
	return n, err
}

func (c *counted) Close() error { return c.file.Close() }

// stateDir is a state folder with the journal of run r in it.
func stateDir(t *testing.T, files map[string]string) (state string) {
	t.Helper()
	state = t.TempDir()
	dir := state + "/runs/r"
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return state
}
