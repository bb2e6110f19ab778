package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/localfiles"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Create makes the sandbox under another name and renames it when it is
// whole: there is never half a one under its own name.
func (p *provider) Create(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	if err := refuse(req.Network, req.Secrets); err != nil {
		return nil, err
	}
	pl, err := p.placeOfKey(req.Key)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(p.folder(), 0o700); err != nil {
		return nil, localfiles.Classify("create sandbox", err)
	}
	unlock, err := lockFolder(ctx, p.folder())
	if err != nil {
		return nil, localfiles.Classify("create sandbox", err)
	}
	defer unlock()
	p.sweep(ctx, true)
	resume := sandbox.ResumeRequest{ID: pl.id, Env: req.Env}
	if sb, err := p.resume(ctx, resume); !errors.Is(err, sandbox.Gone) {
		return sb, err
	}
	dir, err := p.workDir(req.Labels.Project)
	if err != nil {
		return nil, err
	}
	// Root or state may be gone, or a Destroy interrupted, while the rest stands.
	if _, err := os.Lstat(pl.base); !errors.Is(err, fs.ErrNotExist) {
		if err := p.Destroy(ctx, pl.id); err != nil {
			return nil, err
		}
	}
	if err := p.build(pl, owner{Labels: req.Labels, Created: time.Now().UTC(), Dir: dir}); err != nil {
		return nil, localfiles.Classify("create sandbox", err)
	}
	// From here on there is something to take back.
	sb, err := p.resume(context.WithoutCancel(ctx), resume)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, errors.Join(err, p.Destroy(context.WithoutCancel(ctx), pl.id))
	}
	return sb, nil
}

func (p *provider) build(pl place, o owner) (err error) {
	tmp, err := os.MkdirTemp(p.folder(), ".new-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(tmp))
		}
	}()
	half := place{base: tmp}
	if o.Dir == "" {
		if err := os.Mkdir(half.root(), 0o700); err != nil {
			return err
		}
	}
	if err := os.Mkdir(half.state(), 0o700); err != nil {
		return err
	}
	if err := writeOwner(half.state(), o); err != nil {
		return err
	}
	return os.Rename(tmp, pl.base)
}

// workDir is the configured root; empty: the sandbox has its own.
func (p *provider) workDir(project string) (string, error) {
	dir := p.config.Dir
	if dir == "" {
		return "", nil
	}
	bad := func(message string, cause error) error {
		return &sandbox.Error{Class: sandbox.Invalid, Attribute: "dir", Message: message, Cause: cause}
	}
	if !filepath.IsAbs(dir) {
		if !filepath.IsAbs(project) {
			return "", bad("dir is relative, and the project's folder is unknown", nil)
		}
		dir = filepath.Join(project, dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", bad("there is no folder "+dir, err)
	}
	if err != nil {
		return "", bad("dir can't be used: "+err.Error(), err)
	}
	if st, err := os.Stat(real); err != nil || !st.IsDir() {
		return "", bad(dir+" is not a folder", err)
	}
	return real, nil
}
