package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/proctree/leakcheck"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// An agent that takes its own sandbox's folders away must not live on, with
// nobody left who can find it.
func TestNothingRunsOnInASandboxWhoseFoldersAreGone(t *testing.T) {
	link := func(path string) error {
		return errors.Join(os.Rename(path, path+".x"), os.Symlink(os.TempDir(), path))
	}
	plain := func(path string) error {
		return errors.Join(os.Rename(path, path+".x"), os.WriteFile(path, nil, 0o600))
	}
	for name, put := range map[string]func(b *box) error{
		"the state was removed":             func(b *box) error { return os.RemoveAll(b.info.StateDir) },
		"the state is a link":               func(b *box) error { return link(b.info.StateDir) },
		"the state is a file":               func(b *box) error { return plain(b.info.StateDir) },
		"the whole sandbox was removed":     func(b *box) error { return os.RemoveAll(filepath.Dir(b.info.StateDir)) },
		"the whole sandbox is a link":       func(b *box) error { return link(filepath.Dir(b.info.StateDir)) },
		"the whole sandbox was moved aside": func(b *box) error { return os.Rename(filepath.Dir(b.info.StateDir), b.above+"/x") },
	} {
		for verb, end := range map[string]func(p *provider, id string) error{
			"resumed": func(p *provider, id string) error {
				_, err := p.Resume(context.Background(), sandbox.ResumeRequest{ID: id})
				if errors.Is(err, sandbox.Gone) {
					return nil
				}
				return errors.Join(errors.New("resume doesn't say that it is gone"), err)
			},
			"destroyed": func(p *provider, id string) error { return p.Destroy(context.Background(), id) },
		} {
			t.Run(name+", then it is "+verb, func(t *testing.T) {
				p := newTest(t, config{})
				b := create(t, p)
				beats := t.TempDir()
				begin(t, b, sandbox.Command{ID: "one", Argv: []string{"sh", "-c", leakcheck.Script, "sh", beats}, Detached: true})
				if err := leakcheck.Await(deadline(t, 20*time.Second), leakcheck.Dir(beats), leakcheck.Names()...); err != nil {
					t.Fatal(err)
				}
				if err := put(b); err != nil {
					t.Fatal(err)
				}
				if err := end(p, b.id); err != nil {
					t.Error(err)
				}
				if left, err := leakcheck.Processes(beats); err != nil || len(left) > 0 {
					t.Errorf("processes left: %v %v", left, err)
				}
			})
		}
	}
}
