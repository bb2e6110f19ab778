package gitsource

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

const (
	mirrorSuffix = ".git"
	lockSuffix   = ".lock"
	tempPrefix   = "making-"
	// lockPoll is how often a lock that somebody else has is tried.
	lockPoll = 50 * time.Millisecond
)

// cache is the folder of the mirrors.
type cache struct{ dir string }

func openCache(ctx context.Context, dir string) (*cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, sandbox.Errorf(sandbox.Unavailable, "make the cache for sources: %w", err)
	}
	c := &cache{dir}
	return c, c.sweep(ctx)
}

// mirror is the path of a repository's mirror. One that was fetched to a depth is
// another one than the whole: git can't keep both histories in one.
func (c *cache) mirror(url string, depth int) string {
	sum := sha256.Sum256([]byte(url))
	name := hex.EncodeToString(sum[:])
	if depth > 0 {
		name += "-" + strconv.Itoa(depth)
	}
	return filepath.Join(c.dir, name+mirrorSuffix)
}

// lock waits until nobody else has a path of the cache. It is gone with the
// process that has it.
func (c *cache) lock(ctx context.Context, path string, waits func()) (unlock func(), err error) {
	f, err := os.OpenFile(path+lockSuffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, sandbox.Errorf(sandbox.Unavailable, "lock the cache for sources: %w", err)
	}
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for told := false; ; {
		mine, err := tryLock(f)
		switch {
		case err != nil:
			return nil, errors.Join(sandbox.Errorf(sandbox.Unavailable, "lock the cache for sources: %w", err), f.Close())
		case mine:
			return func() { _ = f.Close() }, nil // which unlocks it
		case !told && waits != nil:
			waits()
			told = true
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), f.Close())
		case <-tick.C:
		}
	}
}

// temp makes an empty folder that belongs to this process; done removes it. It is
// made under the lock that sweep takes, so that it is never seen without its own.
func (c *cache) temp(ctx context.Context) (dir string, done func(), err error) {
	unlock, err := c.lock(ctx, filepath.Join(c.dir, "making"), nil)
	if err != nil {
		return "", nil, err
	}
	defer unlock()
	random := make([]byte, 8)
	_, _ = rand.Read(random) // never fails
	dir = filepath.Join(c.dir, tempPrefix+hex.EncodeToString(random))
	release, err := c.lock(ctx, dir, nil)
	if err != nil {
		return "", nil, err
	}
	done = func() { discard(dir); _ = os.Remove(dir + lockSuffix); release() }
	if err := os.Mkdir(dir, 0o700); err != nil {
		done()
		return "", nil, sandbox.Errorf(sandbox.Unavailable, "make a folder for the source: %w", err)
	}
	return dir, done, nil
}

// sweep removes folders whose process is dead.
func (c *cache) sweep(ctx context.Context) error {
	unlock, err := c.lock(ctx, filepath.Join(c.dir, "making"), nil)
	if err != nil {
		return err
	}
	defer unlock()
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return fmt.Errorf("look into the cache for sources: %w", err)
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), lockSuffix)
		if !ok || !strings.HasPrefix(name, tempPrefix) {
			continue
		}
		f, err := os.OpenFile(filepath.Join(c.dir, e.Name()), os.O_RDWR, 0o600)
		if err != nil {
			continue
		}
		if mine, err := tryLock(f); err == nil && mine {
			discard(filepath.Join(c.dir, name))
			_ = os.Remove(f.Name()) // it is tried again next time
		}
		_ = f.Close()
	}
	return nil
}

// discard removes a folder of ours. Git leaves packs that may not be written, which
// some systems don't remove.
func discard(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			_ = os.Chmod(path, 0o600)
		}
		return nil
	})
	_ = os.RemoveAll(dir) // what is left is swept later
}
