package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/proctree/leakcheck"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestCreate(t *testing.T) {
	p := newTest(t, config{})
	b := create(t, p)
	t.Run("the folders are private and real", func(t *testing.T) {
		for _, dir := range []string{b.info.Root, b.info.StateDir} {
			st, err := os.Lstat(dir)
			if err != nil || !st.IsDir() || st.Mode().Perm() != 0o700 {
				t.Errorf("%s: %v %v", dir, st, err)
			}
		}
		if b.id != "sandlot-0123456789abcdef" || b.info.Isolation != sandbox.IsolationNone || b.info.KillScope == "" || b.info.User == "" {
			t.Errorf("%s %+v", b.id, b.info)
		}
	})
	t.Run("the same key finds the same sandbox, also at once", func(t *testing.T) {
		if err := os.WriteFile(filepath.Join(b.info.Root, "kept"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				again, err := p.Create(t.Context(), request(key))
				if err != nil || again.ID() != b.id {
					t.Errorf("%v %v", again, err)
				}
			})
		}
		wg.Wait()
		if _, err := os.Stat(filepath.Join(b.info.Root, "kept")); err != nil {
			t.Error(err)
		}
	})
	t.Run("eight at once of a new key make one", func(t *testing.T) {
		other := strings.Repeat("f", 64)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if _, err := p.Create(t.Context(), request(other)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := names(t, p.folder()); len(got) != 2 {
			t.Errorf("folders %q", got)
		}
	})
	t.Run("one whose root is gone is made anew", func(t *testing.T) {
		if err := os.RemoveAll(b.info.Root); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Resume(t.Context(), sandbox.ResumeRequest{ID: b.id}); !errors.Is(err, sandbox.Gone) {
			t.Errorf("resume: %v", err)
		}
		if got := run(t, create(t, p), sandbox.Command{Script: "pwd"}); got.stdout != b.info.Root+"\n" {
			t.Errorf("%+v", got)
		}
	})
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestCreateRefusals(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		config config
		ctx    context.Context
		change func(r *sandbox.CreateRequest)
		class  sandbox.Class
		word   string
	}{
		{"a key of other letters", config{}, nil, func(r *sandbox.CreateRequest) { r.Key = "../../../../etc/passwd" }, sandbox.Invalid, "passwd"},
		{"a short key", config{}, nil, func(r *sandbox.CreateRequest) { r.Key = "abc" }, sandbox.Invalid, "abc"},
		{"no network", config{}, nil, func(r *sandbox.CreateRequest) { r.Network.Deny = true }, sandbox.Unsupported, "network"},
		{"secrets to broker", config{}, nil, func(r *sandbox.CreateRequest) { r.Secrets = []sandbox.Secret{{Name: "A", Value: "word"}} }, sandbox.Unsupported, "secrets"},
		{"a dir that is missing", config{Dir: "/no/such"}, nil, nil, sandbox.Invalid, "/no/such"},
		{"a dir that is a file", config{Dir: plain}, nil, nil, sandbox.Invalid, plain},
		{"a relative dir without a project", config{Dir: "x"}, nil, nil, sandbox.Invalid, "relative"},
		{"a canceled call", config{}, canceled, nil, sandbox.Canceled, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, req := newTest(t, tt.config), request(key)
			if tt.change != nil {
				tt.change(&req)
			}
			if tt.ctx == nil {
				tt.ctx = t.Context()
			}
			_, err := p.Create(tt.ctx, req)
			wantClass(t, err, tt.class, tt.word)
			if got := names(t, p.folder()); len(got) > 0 {
				t.Errorf("left behind: %q", got)
			}
		})
	}
	t.Run("a home that isn't absolute", func(t *testing.T) {
		_, err := newProvider(t.Context(), config{}, sdk.Host{})
		wantClass(t, err, sandbox.Invalid, "SANDLOT_HOME")
	})
}

func TestDir(t *testing.T) {
	project := t.TempDir()
	work := filepath.Join(project, "work")
	if err := os.MkdirAll(filepath.Join(work, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	p, req := newTest(t, config{Dir: "work"}), request(key)
	req.Labels.Project = project
	sb, err := p.Create(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("it is the root, also when it is resumed", func(t *testing.T) {
		again, err := p.Resume(t.Context(), sandbox.ResumeRequest{ID: sb.ID()})
		if err != nil {
			t.Fatal(err)
		}
		if got := run(t, again.(*box), sandbox.Command{Script: "pwd; ls"}); got.stdout != sb.Info().Root+"\nsub\n" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("out of reach it isn't gone", func(t *testing.T) {
		if err := os.Rename(work, work+"2"); err != nil {
			t.Fatal(err)
		}
		_, err := p.Resume(t.Context(), sandbox.ResumeRequest{ID: sb.ID()})
		wantClass(t, err, sandbox.Unavailable, work)
		if err := os.Rename(work+"2", work); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("destroy leaves it alone and removes the state", func(t *testing.T) {
		if err := p.Destroy(t.Context(), sb.ID()); err != nil {
			t.Fatal(err)
		}
		if got := names(t, work); len(got) != 1 || got[0] != "sub" {
			t.Errorf("in the folder: %q", got)
		}
		if got := names(t, p.folder()); len(got) > 0 {
			t.Errorf("left behind: %q", got)
		}
	})
}

func TestResume(t *testing.T) {
	p := newTest(t, config{})
	for _, id := range []string{"", "x", "sandlot-0000000000000000", "sandlot-../../../etc0", "sandlot-0123456789abcdef/.."} {
		_, err := p.Resume(t.Context(), sandbox.ResumeRequest{ID: id})
		wantClass(t, err, sandbox.Gone)
		if err := p.Destroy(t.Context(), id); err != nil {
			t.Errorf("destroy %q: %v", id, err)
		}
	}
	b := create(t, p)
	t.Run("a home out of reach isn't proof", func(t *testing.T) {
		home := p.home
		p.home = filepath.Join(home, "unmounted")
		defer func() { p.home = home }()
		_, err := p.Resume(t.Context(), sandbox.ResumeRequest{ID: b.id})
		wantClass(t, err, sandbox.Unavailable)
	})
	t.Run("a file in its place is", func(t *testing.T) {
		pl, _ := p.placeOfID("sandlot-eeeeeeeeeeeeeeee")
		if err := os.WriteFile(pl.base, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := p.Resume(t.Context(), sandbox.ResumeRequest{ID: pl.id})
		wantClass(t, err, sandbox.Gone, pl.base)
	})
	t.Run("start in a sandbox that was destroyed", func(t *testing.T) {
		if err := p.Destroy(t.Context(), b.id); err != nil {
			t.Fatal(err)
		}
		_, err := b.Start(t.Context(), sandbox.Command{ID: "p", Script: ":"})
		wantClass(t, err, sandbox.Gone)
		_, err = p.Resume(t.Context(), sandbox.ResumeRequest{ID: b.id})
		wantClass(t, err, sandbox.Gone)
		if got := names(t, filepath.Dir(b.info.Root)); len(got) > 0 {
			t.Errorf("made again: %q", got)
		}
	})
}

func TestDestroy(t *testing.T) {
	p := newTest(t, config{})
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "kept"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b := create(t, p)
	got := run(t, b, sandbox.Command{Script: `
		ln -s "$OUT" link; mkdir -p cache/deep; : >cache/deep/file; chmod 500 cache cache/deep
		mkdir "$(printf 'x\377\n')"; : >"$(printf 'x\377\n')/-f"; chmod 000 x*`, Env: map[string]string{"OUT": outside}})
	if got.exit.Code != 0 {
		t.Fatalf("%+v", got)
	}
	beats := filepath.Join(b.info.Root, "beats")
	if err := os.Mkdir(beats, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"one", "two"} {
		begin(t, b, sandbox.Command{ID: id, Argv: []string{"sh", "-c", leakcheck.Script, "sh", beats}, Detached: true})
	}
	if err := leakcheck.Await(deadline(t, 20*time.Second), leakcheck.Dir(beats), leakcheck.Names()...); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := p.Destroy(t.Context(), b.id); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := leakcheck.Processes(beats); err != nil || len(left) > 0 {
		t.Errorf("processes left: %v %v", left, err)
	}
	if got := names(t, p.folder()); len(got) > 0 {
		t.Errorf("folders left: %q", got)
	}
	if got := names(t, outside); len(got) != 1 {
		t.Errorf("a link was followed: %q", got)
	}
}

func TestDestroyWhileStarting(t *testing.T) {
	p := newTest(t, config{})
	word := fmt.Sprintf("321.%d", os.Getpid())
	for range 5 {
		b := create(t, p)
		var wg sync.WaitGroup
		for _, id := range []string{"a", "b", "c", "d"} {
			wg.Go(func() {
				for n := 0; ; n++ {
					_, err := b.Start(t.Context(), sandbox.Command{ID: id + strconv.Itoa(n), Argv: []string{"sleep", word}, Detached: true})
					if err != nil {
						wantClass(t, err, sandbox.Gone)
						return
					}
				}
			})
		}
		eventually(t, "one runs", func() bool {
			left, err := leakcheck.Processes(word)
			return err == nil && len(left) > 0
		})
		if err := p.Destroy(t.Context(), b.id); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if left, err := leakcheck.Processes(word); err != nil || len(left) > 0 {
			t.Fatalf("processes left: %v %v", left, err)
		}
		if got := names(t, p.folder()); len(got) > 0 {
			t.Errorf("folders left: %q", got)
		}
	}
}

func TestList(t *testing.T) {
	p := newTest(t, config{})
	if got, err := p.List(t.Context()); err != nil || len(got) > 0 {
		t.Errorf("at first: %v %v", got, err)
	}
	mine := create(t, p)
	theirs, torn, hostile := request(strings.Repeat("1", 64)), request(strings.Repeat("2", 64)), request(strings.Repeat("3", 64))
	theirs.Labels.Owner = "another"
	for _, r := range []sandbox.CreateRequest{theirs, torn, hostile} {
		if _, err := p.Create(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	file := func(r sandbox.CreateRequest) string {
		pl, _ := p.placeOfKey(r.Key)
		return filepath.Join(pl.state(), ownerFile)
	}
	if err := os.WriteFile(file(torn), []byte(`{"labels":{"owner":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(file(hostile)), os.Symlink("/etc/passwd", file(hostile))); err != nil {
		t.Fatal(err)
	}
	got, err := p.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(got) > 0 && time.Since(got[0].Created) > time.Minute {
		t.Errorf("created %v", got[0].Created)
	}
	for i := range got {
		got[i].Created = time.Time{}
	}
	unknown := sandbox.Labels{Owner: sandbox.OwnerUnknown}
	want := []sandbox.Summary{
		{ID: mine.id, Labels: request(key).Labels, State: sandbox.StateRunning},
		{ID: "sandlot-2222222222222222", Labels: unknown, State: sandbox.StateRunning},
		{ID: "sandlot-3333333333333333", Labels: unknown, State: sandbox.StateRunning},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
