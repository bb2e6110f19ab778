//go:build unix

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"github.com/sandlot-dev/sandlot/sdk/proctree/leakcheck"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestWhatAKilledCreateOrDestroyLeftIsRemoved(t *testing.T) {
	p := newTest(t, config{})
	yesterday := time.Now().Add(-24 * time.Hour)
	folder := func(name string, old bool) string {
		dir := filepath.Join(p.folder(), name)
		if err := os.MkdirAll(filepath.Join(dir, "root"), 0o700); err != nil {
			t.Fatal(err)
		}
		if old {
			if err := os.Chtimes(dir, yesterday, yesterday); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	gone := func(path string) bool {
		_, err := os.Lstat(path)
		return errors.Is(err, fs.ErrNotExist)
	}
	building, half := folder(".new-123", false), folder(".new-456", true)
	// Being removed by somebody else: the name tells since when, not the folder.
	removing := folder(fmt.Sprintf(".gone-%d-abc", time.Now().UnixNano()), true)
	put := folder(fmt.Sprintf(".gone-%d-def", yesterday.UnixNano()), false)
	other := folder("something-else", true)

	if list, err := p.List(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("listed %v %v", list, err)
	}
	eventually(t, "a list removes what is old", func() bool { return gone(half) && gone(put) })
	for _, dir := range []string{building, removing, other} {
		if gone(dir) {
			t.Errorf("a list has removed %s", dir)
		}
	}
	create(t, p) // which knows that nobody is building
	if !gone(building) || gone(removing) || gone(other) {
		t.Errorf("after a create: %v, %v, %v are gone", gone(building), gone(removing), gone(other))
	}
}

// What an agent may do to the file that says whose its sandbox is.
func TestAForgedOwnerFileMakesASandboxNobodys(t *testing.T) {
	const mine, theirs = `{"labels":{"owner":"me","key":%q}}`, `{"labels":{"owner":"them","key":%q}}`
	text := func(text string) func(path string) error {
		return func(path string) error { return errors.Join(os.Remove(path), os.WriteFile(path, []byte(text), 0o600)) }
	}
	for _, c := range []struct {
		name  string
		put   func(path string) error
		owner string // empty: it isn't listed
	}{
		{"untouched", func(string) error { return nil }, "me"},
		{"removed", os.Remove, sandbox.OwnerUnknown},
		{"empty", text(""), sandbox.OwnerUnknown},
		{"a pipe", func(p string) error { return errors.Join(os.Remove(p), syscall.Mkfifo(p, 0o600)) }, sandbox.OwnerUnknown},
		{"a folder", func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o700)) }, sandbox.OwnerUnknown},
		{"a link to another's", func(p string) error {
			there := filepath.Join(t.TempDir(), "owner.json")
			return errors.Join(os.WriteFile(there, []byte(fmt.Sprintf(mine, key)), 0o600), os.Remove(p), os.Symlink(there, p))
		}, sandbox.OwnerUnknown},
		{"larger than any", text(`{"x":"` + strings.Repeat("x", 1<<20) + `"}`), sandbox.OwnerUnknown},
		{"without an owner", text(fmt.Sprintf(`{"labels":{"key":%q}}`, key)), sandbox.OwnerUnknown},
		{"with another sandbox's key", text(fmt.Sprintf(mine, strings.Repeat("f", 64))), sandbox.OwnerUnknown},
		{"with a key that is none", text(fmt.Sprintf(mine, key[:16])), sandbox.OwnerUnknown},
		{"made in the future", text(fmt.Sprintf(`{"created":"2999-01-01T00:00:00Z","labels":{"owner":"me","key":%q}}`, key)), sandbox.OwnerUnknown},
		{"with another owner", text(fmt.Sprintf(theirs, key)), ""},
		{"with a folder to work in", text(fmt.Sprintf(`{"dir":"/etc","labels":{"owner":"me","key":%q}}`, key)), "me"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newTest(t, config{})
			b := create(t, p)
			if err := c.put(filepath.Join(b.info.StateDir, ownerFile)); err != nil {
				t.Fatal(err)
			}
			list, err := p.List(deadline(t, 10*time.Second))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, s := range list {
				got += s.Labels.Owner
			}
			if got != c.owner {
				t.Errorf("listed as of %q, want %q", got, c.owner)
			}
			sb, err := p.Resume(t.Context(), sandbox.ResumeRequest{ID: b.id})
			if err != nil || sb.Info().Root != b.info.Root {
				t.Errorf("resumed in another folder: %+v %v", sb, err)
			}
			// Whoever knows its id can still remove it.
			if err := p.Destroy(t.Context(), b.id); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAListTellsWhatAnInventoryNeeds(t *testing.T) {
	p := newTest(t, config{})
	req := request(key)
	req.Labels = sandbox.Labels{Owner: "me", HostBoot: "b", Project: "/p", Thread: "t", Key: key}
	before := time.Now().Add(-time.Second)
	if _, err := p.Create(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	list, err := p.List(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	got := list[0]
	if got.Created.Before(before) || got.Created.After(time.Now()) {
		t.Errorf("created %s", got.Created)
	}
	got.Created = time.Time{}
	want := sandbox.Summary{ID: "sandlot-" + key[:16], Labels: req.Labels, State: sandbox.StateRunning}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := p.Destroy(t.Context(), got.ID); err != nil {
		t.Error(err)
	}
}

func BenchmarkListOfAThousand(b *testing.B) {
	p := &provider{owner: "me", home: b.TempDir(), log: hclog.NewNullLogger()}
	for i := range 1000 {
		full := fmt.Sprintf("%064x", i) // differs at its end: the names are made of the beginning
		full = full[48:] + full[:48]
		if err := os.MkdirAll(p.folder(), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := p.build(p.place(full[:16]), owner{Labels: sandbox.Labels{Owner: "me", Key: full}}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if list, err := p.List(b.Context()); err != nil || len(list) != 1000 {
			b.Fatal(len(list), err)
		}
	}
}

// A plugin that was killed leaves what it was running; the next resume ends
// that, and nothing that is detached.
func TestTheNextResumeEndsWhatAKilledPluginLeft(t *testing.T) {
	p := newTest(t, config{})
	b := create(t, p)
	beats := t.TempDir()
	plugin := exec.CommandContext(t.Context(), os.Args[0], p.home, b.id, "left", `exec sh -c "$0" sh "$1"`, leakcheck.Script, beats)
	plugin.Env = append(os.Environ(), "LOCALPROCESS_TEST=run")
	if err := plugin.Start(); err != nil {
		t.Fatal(err)
	}
	if err := leakcheck.Await(deadline(t, 20*time.Second), leakcheck.Dir(beats), leakcheck.Names()...); err != nil {
		t.Fatal(err)
	}
	agent := begin(t, b, sandbox.Command{ID: "agent", Script: "exec sleep 1000", Detached: true})
	if err := errors.Join(plugin.Process.Kill(), plugin.Wait()); err == nil {
		t.Fatal("the plugin ended by itself")
	}
	if _, err := p.Resume(t.Context(), sandbox.ResumeRequest{ID: b.id}); err != nil {
		t.Fatal(err)
	}
	if live, err := leakcheck.Leaks(t.Context(), leakcheck.Dir(beats), 100*time.Millisecond); err != nil || len(live) > 0 {
		t.Errorf("left %q %v", live, err)
	}
	if l, err := b.Alive(t.Context(), "agent"); err != nil || l != sandbox.AliveYes {
		t.Errorf("the agent: %v %v", l, err)
	}
	if err := agent.Close(); err != nil {
		t.Error(err)
	}
}
