//go:build unix

package providertest_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Snapshots and forks of the tiny provider are copies of folders.

func (b *tinyBox) provider() tiny { return tiny{filepath.Dir(b.base), b.owner} }

func (b *tinyBox) Snapshot(ctx context.Context, req sandbox.SnapshotRequest) (sandbox.Snapshot, error) {
	snap := sandbox.Snapshot{ID: "snap-" + freshKey()[:16], Label: req.Label, Labels: req.Labels, Created: time.Now(), Size: -1}
	tmp, err := os.MkdirTemp(filepath.Dir(b.base), ".new-")
	if err != nil {
		return sandbox.Snapshot{}, err
	}
	defer os.RemoveAll(tmp)
	meta, err := json.Marshal(snap)
	err = errors.Join(err, os.WriteFile(filepath.Join(tmp, "meta"), meta, 0o600), furnished(ctx, tmp, b.base))
	if err == nil {
		err = os.Rename(tmp, filepath.Join(filepath.Dir(b.base), snap.ID))
	}
	if err != nil {
		return sandbox.Snapshot{}, err
	}
	return snap, nil
}

func (b *tinyBox) Fork(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	return b.provider().createFrom(ctx, req, b.base)
}

func (b *tinyBox) KeepAlive(_ context.Context, d time.Duration) error { return sandbox.CheckKeep(d) }

func (t tiny) Restore(ctx context.Context, id string, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	from, err := t.snapshot(id)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(from); err != nil {
		return nil, sandbox.Errorf(sandbox.NotFound, "restore snapshot: %w", err)
	}
	return t.createFrom(ctx, req, from)
}

// snapshot is the folder of one.
func (t tiny) snapshot(id string) (string, error) {
	if !strings.HasPrefix(id, "snap-") || filepath.Base(id) != id {
		return "", sandbox.Errorf(sandbox.NotFound, "there is no snapshot %s", id)
	}
	return filepath.Join(t.dir, id), nil
}

func (t tiny) Snapshots(context.Context) ([]sandbox.Snapshot, error) {
	files, err := filepath.Glob(filepath.Join(t.dir, "snap-*", "meta"))
	var all []sandbox.Snapshot
	for _, file := range files {
		var s sandbox.Snapshot
		if data, err := os.ReadFile(file); err == nil && json.Unmarshal(data, &s) == nil && s.Labels.Owner == t.owner {
			all = append(all, s)
		}
	}
	return all, err
}

func (t tiny) DeleteSnapshot(_ context.Context, id string) error {
	dir, err := t.snapshot(id)
	if err != nil {
		return nil
	}
	return os.RemoveAll(dir)
}

// furnished fills the folders of a new sandbox or snapshot with what another has;
// an empty from has nothing.
func furnished(ctx context.Context, to, from string) error {
	for _, name := range []string{"root", "home"} {
		err := os.Mkdir(filepath.Join(to, name), 0o700)
		if err == nil && from != "" {
			err = copyTree(ctx, filepath.Join(to, name), filepath.Join(from, name))
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// copyTree copies folders, files and links with their modes. What goes meanwhile
// is left out.
func copyTree(ctx context.Context, to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		var info fs.FileInfo
		if err == nil {
			info, err = d.Info()
		}
		name := filepath.Join(to, strings.TrimPrefix(path, from))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || path == from:
			return err
		case d.IsDir():
			err = os.Mkdir(name, 0o700)
		case d.Type() == fs.ModeSymlink:
			target, err := os.Readlink(path)
			return errors.Join(err, os.Symlink(target, name))
		case d.Type().IsRegular():
			data, readErr := os.ReadFile(path)
			err = errors.Join(readErr, os.WriteFile(name, data, 0o600))
		default:
			return nil
		}
		return errors.Join(err, os.Chmod(name, info.Mode().Perm()))
	})
}
