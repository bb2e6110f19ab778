//go:build unix

package runs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// folderBox is a sandbox whose state folder is one of this machine, with what
// looking after a journal needs.
type folderBox struct{ state string }

// folderFiles are its files.
type folderFiles struct{ sandbox.Files }

func (b folderBox) ID() string           { return "box" }
func (b folderBox) Files() sandbox.Files { return folderFiles{} }

func (b folderBox) Info() sandbox.Info {
	return sandbox.Info{StateDir: b.state, Capabilities: sandbox.Capabilities{Files: true}}
}

func (b folderBox) Start(context.Context, sandbox.Command) (sandbox.Process, error) {
	return nil, sandbox.Unsupported
}

func (b folderBox) Kill(context.Context, string, time.Duration) error { return nil }

func (b folderBox) Alive(context.Context, string) (sandbox.Liveness, error) {
	return sandbox.AliveNo, nil
}

func (folderFiles) Stat(_ context.Context, path string) (sandbox.FileInfo, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return sandbox.FileInfo{}, sandbox.Errorf(sandbox.NotFound, "%w", err)
	}
	if err != nil {
		return sandbox.FileInfo{}, err
	}
	kind := sandbox.KindFile
	if info.IsDir() {
		kind = sandbox.KindDir
	}
	return sandbox.FileInfo{Kind: kind, Size: info.Size()}, nil
}

func (folderFiles) Read(_ context.Context, path string, opts sandbox.ReadOptions) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, sandbox.Errorf(sandbox.NotFound, "%w", err)
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(f, opts.Offset, opts.Limit), f}, nil
}

func (folderFiles) Remove(_ context.Context, path string) error { return os.RemoveAll(path) }

func (folderFiles) Chmod(_ context.Context, path string, mode fs.FileMode) error {
	return os.Chmod(path, mode)
}
