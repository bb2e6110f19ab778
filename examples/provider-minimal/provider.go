package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sandlot-dev/sandlot/sdk/processes"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// provider keeps each sandbox in a folder that is called like its key: labels.json
// says who made it; the folders root, home and state are the sandbox's.
type provider struct{ dir, owner string }

func (p *provider) Capabilities() sandbox.Capabilities { return processes.Capabilities() }

// Create makes the sandbox under another name and renames it when it is whole.
// Of two that do so at once, one wins.
func (p *provider) Create(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	half, err := os.MkdirTemp(p.dir, ".new-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(half)
	for _, name := range []string{"root", "home", "state"} {
		err = errors.Join(err, os.Mkdir(filepath.Join(half, name), 0o700))
	}
	labels, _ := json.Marshal(req.Labels) // strings alone: it can't fail
	err = errors.Join(err, os.WriteFile(filepath.Join(half, "labels.json"), labels, 0o600), ctx.Err())
	if err != nil {
		return nil, err
	}
	if err := os.Rename(half, filepath.Join(p.dir, req.Key)); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return p.Resume(ctx, sandbox.ResumeRequest{ID: req.Key, Env: req.Env})
}

// Resume looks for what Create made: nothing is kept in memory.
func (p *provider) Resume(_ context.Context, req sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	base := filepath.Join(p.dir, filepath.Base(req.ID))
	_, err := os.Stat(filepath.Join(base, "labels.json"))
	if len(req.ID) != 64 || errors.Is(err, fs.ErrNotExist) {
		return nil, sandbox.Errorf(sandbox.Gone, "resume sandbox %s: it isn't in %s", req.ID, p.dir)
	}
	if err != nil {
		return nil, err
	}
	env := []string{"PATH=" + os.Getenv("PATH")}
	for name, value := range req.Env {
		env = append(env, name+"="+value)
	}
	runner, err := processes.Open(filepath.Join(base, "root"), filepath.Join(base, "home"), filepath.Join(base, "state"), env)
	if err != nil {
		return nil, err
	}
	return &box{runner, req.ID, runner.Describe()}, nil
}

// Destroy ends what runs there and removes the folder; twice is no error.
func (p *provider) Destroy(ctx context.Context, id string) error {
	sb, err := p.Resume(ctx, sandbox.ResumeRequest{ID: id})
	if errors.Is(err, sandbox.Gone) {
		return nil
	}
	if err == nil {
		err = sb.(*box).Close(ctx)
	}
	if err != nil {
		return err
	}
	// Renamed first: a removal that is cut off leaves no half of a sandbox.
	base, gone := filepath.Join(p.dir, filepath.Base(id)), filepath.Join(p.dir, ".gone-"+filepath.Base(id))
	err = errors.Join(os.RemoveAll(gone), os.Rename(base, gone))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(gone)
}

// List reads the labels of all.
func (p *provider) List(context.Context) ([]sandbox.Summary, error) {
	found, err := filepath.Glob(filepath.Join(p.dir, "[0-9a-f]*", "labels.json"))
	var list []sandbox.Summary
	for _, file := range found {
		s := sandbox.Summary{ID: filepath.Base(filepath.Dir(file)), State: sandbox.StateRunning}
		data, err := os.ReadFile(file)
		if err == nil && json.Unmarshal(data, &s.Labels) == nil && s.Labels.Owner == p.owner {
			list = append(list, s)
		}
	}
	return list, err
}
