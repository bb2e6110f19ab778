package gitsource

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Pruned is what Prune has removed, or would remove.
type Pruned struct {
	Mirrors int   // copies of repositories
	Bytes   int64 // that they took
}

// Prune removes from a cache folder the mirrors that no fetch has used since a
// time, and what killed processes have left. One that is in use stays. With dry it
// only counts. A folder that isn't there is empty.
func Prune(ctx context.Context, dir string, since time.Time, dry bool) (Pruned, error) {
	var all Pruned
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return all, nil
	}
	if err != nil {
		return all, sandbox.Errorf(sandbox.Unavailable, "look into the cache for sources: %w", err)
	}
	c := &cache{dir}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return all, err
		}
		if !e.IsDir() || !strings.HasSuffix(e.Name(), mirrorSuffix) {
			continue
		}
		size, err := c.prune(filepath.Join(dir, e.Name()), since, dry)
		if err != nil {
			return all, err
		}
		if size >= 0 {
			all.Mirrors, all.Bytes = all.Mirrors+1, all.Bytes+size
		}
	}
	if dry {
		return all, nil
	}
	return all, c.sweep(ctx)
}

// prune removes a mirror and returns its size, or less than 0 if it stays.
func (c *cache) prune(path string, since time.Time, dry bool) (int64, error) {
	const stays = -1
	lock, err := os.OpenFile(path+lockSuffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return stays, sandbox.Errorf(sandbox.Unavailable, "lock the cache for sources: %w", err)
	}
	defer lock.Close()
	if mine, err := tryLock(lock); err != nil || !mine {
		return stays, err
	}
	info, err := os.Stat(path)
	if err != nil || !info.ModTime().Before(since) {
		return stays, nil //nolint:nilerr // it went meanwhile
	}
	t := Tree{dir: path}
	size, err := t.gitSize()
	if err != nil {
		return stays, fmt.Errorf("measure the cache for sources: %w", err)
	}
	if !dry {
		discard(path)
	}
	return size, nil
}
