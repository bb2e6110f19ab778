package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/processes"
	"github.com/sandlot-dev/sandlot/sdk/proctree"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Resume opens the sandbox. It is gone only if its folder is proven to be
// absent, or to be no folder any more; whatever else goes wrong may be better at
// the next try. Nothing is left running in one whose state is gone: nobody could
// find it there again.
func (p *provider) Resume(ctx context.Context, req sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	sb, err := p.resume(ctx, req)
	if pl, ok := p.placeOfID(req.ID); ok && errors.Is(err, sandbox.Gone) && lost(pl) {
		if err := p.endLost(ctx, pl); err != nil {
			return nil, err
		}
	}
	return sb, err
}

// lost is true for a sandbox without its folder of state.
func lost(pl place) bool {
	for _, folder := range []string{pl.base, pl.state()} {
		if st, err := os.Lstat(folder); errors.Is(err, fs.ErrNotExist) || err == nil && !st.IsDir() {
			return true
		}
	}
	return false
}

// reap ends what a plugin that was killed has left running in the sandbox, but
// for what is detached: nobody reads it any more, and nobody knows of it.
func (p *provider) reap(pl place, forest *proctree.Forest) {
	ctx, cancel := context.WithTimeout(context.Background(), reapTime)
	defer cancel()
	ids, err := forest.Reap(ctx)
	if len(ids) > 0 {
		p.log.Info("ended what a plugin that is gone had left", "sandbox", pl.id, "processes", ids)
	}
	if err != nil {
		log := p.log.With("sandbox", pl.id)
		log.Warn("end what a plugin that is gone has left", "error", processes.KillError(log, "end it", err))
	}
}

// reapTime bounds that: a resume is waited for.
const reapTime = 5 * time.Second

func (p *provider) resume(ctx context.Context, req sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := refuse(req.Network, req.Secrets); err != nil {
		return nil, err
	}
	pl, ok := p.placeOfID(req.ID)
	if !ok {
		return nil, sandbox.Errorf(sandbox.Gone, "resume sandbox %q: localprocess has no such id", req.ID)
	}
	if err := p.present(pl.base); err != nil {
		return nil, err
	}
	if err := p.present(pl.state()); err != nil {
		return nil, err
	}
	root := pl.root()
	// Only where the configuration has a dir: the file could name any folder.
	if o, err := readOwner(pl.state()); err == nil && o.Dir != "" && p.config.Dir != "" {
		root = o.Dir
		if _, err := os.Stat(root); err != nil {
			return nil, sandbox.Errorf(sandbox.Unavailable, "resume sandbox %s: its folder can't be reached: %w", pl.id, err)
		}
	} else if err := p.present(root); err != nil {
		return nil, err
	}
	return p.open(pl, root, req.Env)
}

// present checks that a folder of the sandbox is there.
func (p *provider) present(path string) error {
	st, err := os.Lstat(path)
	switch {
	case err == nil && st.IsDir():
		return nil
	case err == nil:
		return sandbox.Errorf(sandbox.Gone, "resume sandbox: something has put a link or a file in the place of %s", path)
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
		return sandbox.Errorf(sandbox.Unavailable, "resume sandbox: %w", err)
	}
	// Absent, unless the whole home is: then its disk isn't mounted.
	if _, err := os.Stat(p.home); err != nil {
		return sandbox.Errorf(sandbox.Unavailable, "resume sandbox: the home folder can't be reached: %w", err)
	}
	return sandbox.Errorf(sandbox.Gone, "resume sandbox: there is no folder %s", path)
}

func (p *provider) open(pl place, root string, env map[string]string) (sandbox.Sandbox, error) {
	unavailable := func(err error) error {
		return sandbox.Errorf(sandbox.Unavailable, "resume sandbox %s: %w", pl.id, err)
	}
	home, err := p.homeOf(pl)
	if errors.Is(err, sandbox.Gone) {
		return nil, err
	}
	if err != nil {
		return nil, unavailable(err)
	}
	var real [4]string
	for i, path := range []string{root, home, pl.state(), p.folder()} {
		if real[i], err = filepath.EvalSymlinks(path); err != nil {
			return nil, unavailable(err)
		}
	}
	forest, err := proctree.Open(real[2], p.trees)
	if err != nil {
		return nil, unavailable(err)
	}
	if forest.Closed() {
		return nil, sandbox.Errorf(sandbox.Gone, "resume sandbox %s: it was being destroyed", pl.id)
	}
	p.reap(pl, forest)
	return &box{
		id: pl.id, forest: forest, log: p.log, above: real[3], info: infoOf(real[0], real[1], real[2], forest),
		env: p.env.with(p.config.homeEnv(real[1], windows), env),
	}, nil
}
