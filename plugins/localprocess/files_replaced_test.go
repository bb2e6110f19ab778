package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// replaceByLink does what a process of the sandbox may do: it moves a folder
// away and puts a link to target in its place.
func replaceByLink(t *testing.T, folder, target string) {
	t.Helper()
	if err := errors.Join(os.Rename(folder, folder+".away"), os.Symlink(target, folder)); err != nil {
		t.Fatal(err)
	}
}

// What runs in a sandbox owns the sandbox's own folders. No call may follow it
// to where it points them.
func TestAFolderOfTheSandboxThatBecameALinkIsNotFollowed(t *testing.T) {
	for _, c := range []struct {
		name   string
		folder func(b *box) string
	}{
		{"the root", func(b *box) string { return b.info.Root }},
		{"the state folder", func(b *box) string { return b.info.StateDir }},
		{"the folder of both", func(b *box) string { return filepath.Dir(b.info.Root) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newTest(t, config{})
			b := create(t, p)
			outside := t.TempDir()
			for _, name := range []string{"root", "state", "kept"} {
				if err := os.Mkdir(filepath.Join(outside, name), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			want := tree(t, outside)
			folder := c.folder(b)
			replaceByLink(t, folder, outside)
			f, ctx := b.Files(), t.Context()
			calls := map[string]error{}
			for _, in := range []string{b.info.Root, b.info.StateDir} {
				if !strings.HasPrefix(in, folder) {
					continue
				}
				calls["write "+in] = f.Write(ctx, in+"/x", strings.NewReader("x"), sandbox.WriteOptions{})
				calls["mkdir "+in] = f.Mkdir(ctx, in+"/x", 0)
				calls["push "+in] = f.Push(ctx, in, bytes.NewReader(nil))
				calls["rename "+in] = f.Rename(ctx, in+"/kept", in+"/x")
				calls["remove "+in] = f.Remove(ctx, in+"/kept")
				_, calls["list "+in] = f.List(ctx, in)
			}
			if b.info.StateDir != folder+"/state" && b.info.StateDir != folder {
				// Without its state folder nothing starts.
			} else if p, err := b.Start(ctx, sandbox.Command{ID: "p", Script: "# " + strings.Repeat("x", 200<<10), Detached: true}); err == nil {
				_ = p.Close()
				t.Error("a process started")
			} else {
				calls["start"] = err
			}
			for what, err := range calls {
				if sandbox.ClassOf(err) != sandbox.Denied || !strings.Contains(err.Error(), "put a link or a file in its place") {
					t.Errorf("%s: %v", what, err)
				}
			}
			if err := p.Destroy(ctx, b.ID()); err != nil {
				t.Errorf("destroy: %v", err)
			}
			if diff := cmp.Diff(want, tree(t, outside)); diff != "" {
				t.Errorf("outside (-before +after):\n%s", diff)
			}
		})
	}
}
