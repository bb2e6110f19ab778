//go:build unix

package shellfs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/processes"
	"github.com/sandlot-dev/sandlot/sdk/providertest"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// backend is a folder of sandboxes, for the suite.
type backend struct{ dir, path string }

func (b backend) Capabilities() sandbox.Capabilities {
	c := processes.Capabilities()
	c.Files = true
	return c
}

func (b backend) Create(ctx context.Context, req sandbox.CreateRequest) (sandbox.Sandbox, error) {
	for _, name := range []string{"root", "home", "state"} {
		if err := os.MkdirAll(filepath.Join(b.dir, req.Key, name), 0o700); err != nil {
			return nil, err
		}
	}
	return b.Resume(ctx, sandbox.ResumeRequest{ID: req.Key})
}

func (b backend) Resume(_ context.Context, req sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	return openBox(filepath.Join(b.dir, req.ID), b.path)
}

func (b backend) Destroy(ctx context.Context, id string) error {
	sb, err := openBox(filepath.Join(b.dir, id), b.path)
	if err != nil {
		return nil
	}
	return errors.Join(sb.Forest.Close(ctx, 0), os.RemoveAll(filepath.Join(b.dir, id)))
}

func (b backend) List(context.Context) ([]sandbox.Summary, error) { return nil, nil }

// only is a test that runs the groups of the suite that are about files.
type only struct {
	*testing.T
	inGroup bool
}

func (o only) Run(name string, part func(only)) bool {
	groups := []string{
		"files", "file names", "atomic writes", "folders", "following a file", "trees of files", "confinement",
		"hostile trees", "hostile tar streams",
	}
	if !o.inGroup && !slices.Contains(groups, name) {
		return true
	}
	return o.T.Run(name, func(t *testing.T) { part(only{t, true}) })
}

func TestTheSuitesFilesOnEveryShell(t *testing.T) {
	for _, s := range shells(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			b := backend{folder(t), s.path}
			providertest.Run(only{t, false}, providertest.Options{
				Open: func(context.Context) (*providertest.Plugin, error) {
					return &providertest.Plugin{Provider: b, Close: func() error { return nil }, PID: os.Getpid()}, nil
				},
			})
		})
	}
}
