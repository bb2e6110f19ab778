package gitsource_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitsource"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestWhatCannotBeFetchedSaysWhyAndWhatToDo(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit("one", "f", "x")
	r.git("branch", "release/2.0")
	r.git("tag", "v1.2.3")
	r.git("tag", "content", r.git("rev-parse", "HEAD:f"))
	empty := newRepo(t)
	s := serve(t, filepath.Dir(r.dir), "")
	url := s.URL + "/" + filepath.Base(r.dir)
	beside(t, r, empty)
	gone := serve(t, t.TempDir(), "")
	gone.Close()
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	t.Cleanup(broken.Close)
	old := t.TempDir()
	script := "#!/bin/sh\necho git version 2.20.1\n"
	if err := os.WriteFile(filepath.Join(old, "git"), []byte(script), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		remote gitsource.Remote
		env    map[string]string
		class  sandbox.Class
		says   []string
	}{
		{"a branch that is written wrong", gitsource.Remote{URL: url, Ref: "mian"}, nil, sandbox.NotFound, []string{`no branch and no tag "mian"`, `did you mean "main"?`}},
		{"a branch without its folder", gitsource.Remote{URL: url, Ref: "2.0"}, nil, sandbox.NotFound, []string{`did you mean "release/2.0"?`}},
		{"a tag without its v", gitsource.Remote{URL: url, Ref: "1.2.3"}, nil, sandbox.NotFound, []string{`did you mean "v1.2.3"?`}},
		{"a branch unlike any", gitsource.Remote{URL: url, Ref: "something-else"}, nil, sandbox.NotFound, []string{`it has "main", "release/2.0"`}},
		{"a short commit", gitsource.Remote{URL: url, Ref: r.git("rev-parse", "--short=8", "HEAD")}, nil, sandbox.NotFound, []string{"write all of its 40 digits"}},
		{"a commit that isn't there", gitsource.Remote{URL: url, Ref: zero, Depth: 1}, nil, sandbox.NotFound, []string{"it has no commit " + zero}},
		{"a tag of what is no commit", gitsource.Remote{URL: url, Ref: "content", Depth: 1}, nil, sandbox.Invalid, []string{`tag "content"`, "a blob and not for a commit"}},
		{"an empty repository", gitsource.Remote{URL: s.URL + "/" + filepath.Base(empty.dir) + ".inner"}, nil, sandbox.NotFound, []string{"the repository is empty"}},
		{"an empty repository's branch", gitsource.Remote{URL: s.URL + "/" + filepath.Base(empty.dir) + ".inner", Ref: "main"}, nil, sandbox.NotFound, []string{"the repository is empty"}},
		{"no such repository", gitsource.Remote{URL: s.URL + "/none"}, nil, sandbox.NotFound, []string{"there is no such repository", "token = secret.NAME"}},
		{"nobody there", gitsource.Remote{URL: gone.URL + "/x"}, nil, sandbox.Unavailable, []string{"it can't be reached", "HTTPS_PROXY", "git said: fatal: unable to access"}},
		{"a server that fails", gitsource.Remote{URL: broken.URL + "/x"}, nil, sandbox.Unavailable, []string{"the server failed", "try again later", "error: 502"}},
		{"no such host", gitsource.Remote{URL: "https://nowhere.invalid/x"}, nil, sandbox.Unavailable, []string{"it can't be reached"}},
		{"a proxy that isn't there", gitsource.Remote{URL: url}, map[string]string{"https_proxy": gone.URL}, sandbox.Unavailable, []string{"it can't be reached"}},
		{"a certificate that nobody knows", gitsource.Remote{URL: url}, map[string]string{"GIT_SSL_CAINFO": ""}, sandbox.Denied, []string{"certificate isn't trusted", "SSL_CERT_FILE"}},
		{"a repository of this machine that isn't there", gitsource.Remote{URL: "file:///nowhere/x"}, nil, sandbox.NotFound, []string{"there is no such repository"}},
		{"no git", gitsource.Remote{URL: url}, map[string]string{"PATH": t.TempDir()}, sandbox.NotFound, []string{"no program git on its PATH", "install it"}},
		{"an old git", gitsource.Remote{URL: url}, map[string]string{"PATH": old}, sandbox.Unsupported, []string{"is git 2.20", "2.32 or newer"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, s)
			for name, value := range tt.env {
				if h.env[name] = value; value == "" {
					delete(h.env, name)
				}
			}
			_, err := h.try(t.Context(), tt.remote)
			if sandbox.ClassOf(err) != tt.class {
				t.Errorf("the class is %s", sandbox.ClassOf(err))
			}
			for _, words := range tt.says {
				if err == nil || !strings.Contains(err.Error(), words) {
					t.Errorf("it doesn't say %q: %v", words, err)
				}
			}
		})
	}
}

func TestABranchAndATagOfOneNameGiveTheBranchAndAWarning(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit("one", "f", "1")
	r.git("tag", "both")
	r.git("checkout", "-q", "-b", "both")
	want := r.commit("two", "f", "2")
	h := newHost(t, nil)
	dir := h.fetch(gitsource.Remote{URL: "file://" + r.dir, Ref: "both", Depth: 1})
	if got := git(t, dir, "rev-parse", "HEAD"); got != want {
		t.Errorf("at %s, want %s", got, want)
	}
	if len(h.warns) != 1 || !strings.Contains(h.warns[0], `ref = "refs/tags/both"`) {
		t.Errorf("warned: %q", h.warns)
	}
}

func TestPointersOfLargeFilesAreCounted(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"
	r.commit("one", "a.bin", pointer, "b.bin", pointer, "c.bin", pointer, "d.bin", pointer, "e", "version", "large", pointer+strings.Repeat("x", 2000))
	h := newHost(t, nil)
	h.fetch(gitsource.Remote{URL: "file://" + r.dir, Depth: 1})
	if len(h.warns) != 1 || !strings.HasPrefix(h.warns[0], `source_lfs: 4 files are kept in Git LFS`) ||
		!strings.Contains(h.warns[0], `"a.bin", "b.bin", "c.bin" and 1 more`) || !strings.Contains(h.warns[0], "git lfs pull") {
		t.Errorf("warned: %q", h.warns)
	}
}

// Git's whole tree ends when a fetch is canceled, and the cache is of use after it.
func TestACanceledFetchLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit("one", "f", "x")
	s := serve(t, filepath.Dir(r.dir), "")
	remote := gitsource.Remote{URL: s.URL + "/" + filepath.Base(r.dir), Ref: "main", Depth: 1}
	h := newHost(t, s)
	ctx, cancel := context.WithCancelCause(t.Context())
	hold := make(chan struct{})
	var once sync.Once
	because := errors.New("nobody wants it any more")
	var running string
	s.Watch(func() {
		once.Do(func() {
			running = commandLines(remote.URL)
			cancel(because)
		})
		<-hold
	})
	_, err := h.try(ctx, remote)
	if !errors.Is(err, because) {
		t.Errorf("got %v", err)
	}
	release := sync.OnceFunc(func() { close(hold) })
	defer release() // not before: whoever waits for the server must be gone already
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for commandLines(remote.URL) != "" {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("left running: %s (before: %s)", commandLines(remote.URL), running)
		}
	}
	release()
	s.Watch(nil)
	h.fetch(remote)
}

func TestADamagedMirrorIsMadeAnew(t *testing.T) {
	t.Parallel()
	r := sample(t)
	s := serve(t, filepath.Dir(r.dir), "")
	tests := []struct {
		name   string
		damage func(t *testing.T, mirror string)
		again  bool // it is fetched again
	}{
		{"locks of a git that was killed", func(t *testing.T, mirror string) {
			for _, name := range []string{"shallow.lock", "packed-refs.lock", "HEAD.lock", "refs/sandlot/x.lock", "objects/pack/tmp_pack_1", "config.lock"} {
				write(t, filepath.Join(mirror, name), "x")
			}
		}, false},
		{"a pack cut short", func(t *testing.T, mirror string) {
			for _, path := range glob(t, mirror, "objects/pack/*.pack") {
				write(t, path, "PACK")
			}
		}, true},
		{"a pack with other content", func(t *testing.T, mirror string) {
			for _, path := range glob(t, mirror, "objects/pack/*.pack") {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				for i := 40; i < len(text)-30; i += 3 {
					text[i] ^= 0x55
				}
				write(t, path, string(text))
			}
		}, true},
		{"no packs", func(t *testing.T, mirror string) {
			if err := os.RemoveAll(filepath.Join(mirror, "objects", "pack")); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"no index of a pack", func(t *testing.T, mirror string) {
			for _, path := range glob(t, mirror, "objects/pack/*.idx") {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
		}, true},
		{"a configuration of rubbish", func(t *testing.T, mirror string) { write(t, filepath.Join(mirror, "config"), "[[[") }, true},
		{"a HEAD of rubbish", func(t *testing.T, mirror string) { write(t, filepath.Join(mirror, "HEAD"), "\x00") }, true},
		{"no HEAD", func(t *testing.T, mirror string) {
			if err := os.Remove(filepath.Join(mirror, "HEAD")); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"a list of ends of rubbish", func(t *testing.T, mirror string) { write(t, filepath.Join(mirror, "shallow"), "rubbish\n") }, true},
	}
	for _, tt := range tests {
		for _, depth := range []int{0, 2} {
			name := tt.name + ", of the whole"
			if depth > 0 {
				name = tt.name + ", of a part"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				h := newHost(t, s)
				remote := gitsource.Remote{URL: s.URL + "/" + filepath.Base(r.dir), Ref: r.git("rev-parse", "HEAD"), Depth: depth}
				h.fetch(remote)
				mirrors := glob(t, h.cache, "*.git")
				if len(mirrors) != 1 {
					t.Fatal(mirrors)
				}
				tt.damage(t, mirrors[0])
				h.told = nil
				dir := h.fetch(remote)
				if got := git(t, dir, "status", "--porcelain") + git(t, dir, "fsck", "--no-dangling"); got != "" {
					t.Error(got)
				}
				if again := strings.Contains(strings.Join(h.told, "\n"), "fetching "+s.URL); again != tt.again && depth == 0 {
					t.Errorf("told %q", h.told)
				}
			})
		}
	}
}

func glob(t *testing.T, dir, pattern string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func write(t *testing.T, path, text string) {
	t.Helper()
	_ = os.Chmod(path, 0o600) //nolint:gosec // git's packs may not be written
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestSeveralFetchesAtOnceShareOne(t *testing.T) {
	t.Parallel()
	r := sample(t)
	s := serve(t, filepath.Dir(r.dir), "")
	remote := gitsource.Remote{URL: s.URL + "/" + filepath.Base(r.dir), Ref: "main", Depth: 1}
	h := newHost(t, s)
	h.fetch(remote)
	alone := len(s.Requests())
	h.fetch(remote)
	asking := len(s.Requests())
	fresh := newHost(t, s)
	const many = 4
	var all sync.WaitGroup
	for range many {
		all.Go(func() { fresh.fetch(remote) })
	}
	all.Wait()
	if got := len(s.Requests()); got != alone+(many-1)*asking {
		t.Errorf("%d requests; one alone makes %d, and %d when there is nothing to fetch", got, alone, asking)
	}
}

func TestPruneRemovesWhatNobodyHasUsedForLong(t *testing.T) {
	t.Parallel()
	h := newHost(t, nil)
	var urls []string
	for range 2 {
		r := newRepo(t)
		r.commit("one", "f", "x")
		urls = append(urls, "file://"+r.dir)
		h.fetch(gitsource.Remote{URL: urls[len(urls)-1], Depth: 1})
	}
	old := time.Now().Add(-time.Hour)
	for _, path := range glob(t, h.cache, "*.git")[:1] {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(h.cache, "making-0123.lock"), "")
	write(t, filepath.Join(h.cache, "making-0123", "git", "HEAD"), "left by a process that is dead")
	since := old.Add(time.Minute)
	for _, dry := range []bool{true, false, true} {
		got, err := gitsource.Prune(t.Context(), h.cache, since, dry)
		if err != nil {
			t.Fatal(err)
		}
		left := len(glob(t, h.cache, "*.git"))
		want := 1
		if dry {
			want = left - 1
		}
		if got.Mirrors != want || want > 0 && got.Bytes == 0 {
			t.Errorf("dry %v: %+v, %d left", dry, got, left)
		}
	}
	if left := glob(t, h.cache, "making-*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	for _, url := range urls {
		h.fetch(gitsource.Remote{URL: url, Depth: 1})
	}
	if got, err := gitsource.Prune(t.Context(), filepath.Join(h.cache, "none"), since, false); err != nil || got.Mirrors != 0 {
		t.Errorf("a folder that isn't there: %+v, %v", got, err)
	}
}
