package gc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitsource"
)

// sockets removes the socket folders of dead processes.
func (c *Collector) sockets(context.Context) error {
	for _, dir := range plugins.DeadSockets(c.Engine.Home) {
		c.remove(Removal{Kind: KindSocket, Name: dir, Why: "the process that made it is gone", Bytes: size(dir)}, func() error {
			return os.RemoveAll(dir)
		})
	}
	return nil
}

// commands ends the commands of secrets that a killed process has left.
func (c *Collector) commands(ctx context.Context) error {
	for _, dir := range c.Engine.LostCommands(ctx, c.Options.DryRun) {
		c.Tell(Removal{Kind: KindCommand, Name: dir, Why: "the process that ran it is gone", Bytes: Unknown})
	}
	return nil
}

// crashes keeps the newest reports.
func (c *Collector) crashes(context.Context) error {
	dir := filepath.Join(c.Engine.Home, "crashes")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list crash reports: %w", err)
	}
	type report struct {
		name string
		at   time.Time
		size int64
	}
	var all []report
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			all = append(all, report{e.Name(), info.ModTime(), info.Size()})
		}
	}
	slices.SortFunc(all, func(a, b report) int { return b.at.Compare(a.at) })
	for _, r := range all[min(len(all), c.Options.Crashes):] {
		file := filepath.Join(dir, r.name)
		why := fmt.Sprintf("there are %d newer ones", c.Options.Crashes)
		c.remove(Removal{Kind: KindCrash, Name: file, Why: why, Bytes: r.size}, func() error { return os.Remove(file) })
	}
	return nil
}

// mirrors removes copies of repositories that no fetch has used for long.
func (c *Collector) mirrors(ctx context.Context) error {
	dir := filepath.Join(c.Engine.Home, "cache", "git")
	pruned, err := gitsource.Prune(ctx, dir, time.Now().Add(-c.Options.Mirrors), c.Options.DryRun)
	if err == nil && pruned.Mirrors == 0 {
		return nil
	}
	c.Tell(Removal{
		Kind: KindMirror, Name: dir, Why: fmt.Sprintf("%d not used for %s", pruned.Mirrors, Days(c.Options.Mirrors)),
		Bytes: pruned.Bytes, Err: err,
	})
	return nil
}

// remove tells of a removal, and does it unless nothing is to be removed. What
// somebody else has removed meanwhile is gone as well.
func (c *Collector) remove(r Removal, do func() error) {
	if !c.Options.DryRun {
		if err := do(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.Err = fmt.Errorf("remove %s: %w", r.Name, err)
		}
	}
	c.Tell(r)
}

// size is how many bytes the files of a tree have; no link is followed. Unknown
// if there is no such tree.
func size(root string) int64 {
	var all int64
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && path == root:
			return err
		case err != nil:
			return nil // it went meanwhile, or may not be read: the rest counts
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			all += info.Size()
		}
		return nil
	})
	if err != nil {
		return Unknown
	}
	return all
}

// Days is a duration for a person: in days where it is whole ones.
func Days(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= day && d%day == 0 {
		return fmt.Sprintf("%d days", d/day)
	}
	return d.String()
}
