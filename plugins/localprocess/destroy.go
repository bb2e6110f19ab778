package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/localfiles"
	"github.com/sandlot-dev/sandlot/sdk/processes"
	"github.com/sandlot-dev/sandlot/sdk/proctree"
)

// killGrace is what processes get between TERM and KILL where the caller
// names none.
const killGrace = 500 * time.Millisecond

// Destroy kills what runs in the sandbox, lets nothing new start, takes the
// folder out of sight and removes it. A configured dir stays.
func (p *provider) Destroy(ctx context.Context, id string) error {
	pl, ok := p.placeOfID(id)
	if !ok {
		return nil
	}
	p.sweep(ctx, false)
	if err := p.endAll(ctx, pl); err != nil {
		return err
	}
	doomed := filepath.Join(p.folder(), fmt.Sprintf(".gone-%d-%s", time.Now().UnixNano(), filepath.Base(pl.base)))
	if err := os.Rename(pl.base, doomed); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return localfiles.Classify("destroy sandbox "+id, err)
	}
	if err := p.removeUnder(ctx, filepath.Base(doomed)); err != nil {
		return localfiles.Classify("destroy sandbox "+id, err)
	}
	return nil
}

// endAll kills all that runs in the sandbox.
func (p *provider) endAll(ctx context.Context, pl place) error {
	if lost(pl) {
		return p.endLost(ctx, pl)
	}
	forest, err := proctree.Open(pl.state(), p.trees)
	if errors.Is(err, fs.ErrNotExist) {
		return p.endLost(ctx, pl)
	}
	if err != nil {
		return localfiles.Classify("destroy sandbox "+pl.id, err)
	}
	if err := forest.Close(ctx, killGrace); err != nil {
		return processes.KillError(p.log.With("sandbox", pl.id), "end what runs in it", err)
	}
	return nil
}

// endLost kills what ran in a sandbox whose folders were removed, or replaced by
// something behind which nothing may be touched: an agent that did that to
// itself isn't out of reach.
func (p *provider) endLost(ctx context.Context, pl place) error {
	folder, err := filepath.EvalSymlinks(p.folder())
	if errors.Is(err, fs.ErrNotExist) {
		return nil // there never was a sandbox
	}
	if err == nil {
		state := place{base: filepath.Join(folder, filepath.Base(pl.base))}.state()
		err = proctree.EndLost(ctx, state, p.trees, killGrace)
	}
	if err != nil {
		return processes.KillError(p.log.With("sandbox", pl.id), "end what runs in it", err)
	}
	return nil
}

// sweep removes what a Destroy or Create that was killed left behind. Who holds
// the lock knows that nobody is building; otherwise only its age tells.
func (p *provider) sweep(ctx context.Context, locked bool) {
	entries, err := os.ReadDir(p.folder())
	if err != nil {
		return
	}
	for _, e := range entries {
		old := time.Since(since(e)) > time.Hour
		gone, half := strings.HasPrefix(e.Name(), ".gone-"), strings.HasPrefix(e.Name(), ".new-")
		if old && gone || (old || locked) && half {
			if err := p.removeUnder(ctx, e.Name()); err != nil {
				p.log.Warn("remove what is left of a sandbox", "folder", e.Name(), "error", err)
			}
		}
	}
}

// since is when a folder was put aside, which its name tells, or else made.
func since(e fs.DirEntry) time.Time {
	if rest, ok := strings.CutPrefix(e.Name(), ".gone-"); ok {
		digits, _, _ := strings.Cut(rest, "-")
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			return time.Unix(0, n)
		}
	}
	info, err := e.Info()
	if err != nil {
		return time.Now()
	}
	return info.ModTime()
}

func (p *provider) removeUnder(ctx context.Context, name string) error {
	root, err := os.OpenRoot(p.folder())
	if err != nil {
		return err
	}
	defer root.Close()
	return localfiles.RemoveAll(ctx, root, name)
}
