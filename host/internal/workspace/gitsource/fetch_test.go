package gitsource_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitsource"
)

// sample is a repository of three commits and all that git can hold.
func sample(t *testing.T) *repo {
	t.Helper()
	r := newRepo(t)
	r.commit("one", "README.md", "1\n", "dir/deep/file", "x\n")
	r.commit("two", "README.md", "2\n", "bin/tool", "#!/bin/sh\n", "odd \xff\n name", "bytes\n", "empty", "")
	for link, target := range map[string]string{"link": "dir/deep/file", "nowhere": "/etc/passwd", "up": "../../outside"} {
		if err := os.Symlink(target, filepath.Join(r.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(r.dir, "bin/tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.commit("three", "README.md", "3\n")
	return r
}

func TestAWorkspaceIsAnOrdinaryClone(t *testing.T) {
	t.Parallel()
	r := sample(t)
	r.git("tag", "light", "HEAD~1")
	r.git("tag", "-a", "v1", "-m", "first", "HEAD~2")
	r.git("branch", "feature/x", "HEAD~1")
	r.git("checkout", "-q", "--detach")
	r.git("update-ref", "refs/hidden/x", r.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "on no branch"))
	r.git("checkout", "-q", "main")
	s := serve(t, filepath.Dir(r.dir), "")
	url := s.URL + "/" + filepath.Base(r.dir)
	at := func(ref string) string { return r.git("rev-parse", ref+"^{commit}") }
	tests := []struct {
		name, ref, commit, branch string
		depth, commits            int
	}{
		{"the default branch", "", "main", "main", 1, 1},
		{"a branch", "feature/x", "feature/x", "feature/x", 1, 1},
		{"a branch with some history", "main", "main", "main", 2, 2},
		{"a branch with more history than there is", "main", "main", "main", 50, 3},
		{"a branch with all its history", "main", "main", "main", 0, 3},
		{"a light tag", "light", "light", "", 1, 1},
		{"an annotated tag", "v1", "v1", "", 1, 1},
		{"an annotated tag with its history", "v1", "v1", "", 0, 1},
		{"a tag by its whole name", "refs/tags/light", "light", "", 1, 1},
		{"a commit", at("main~1"), "main~1", "", 1, 1},
		{"a commit in capitals", strings.ToUpper(at("main~1")), "main~1", "", 1, 1},
		{"a commit with its history", at("main~1"), "main~1", "", 0, 2},
		{"a commit on no branch", at("refs/hidden/x"), "refs/hidden/x", "", 1, 1},
		{"a commit on no branch with its history", at("refs/hidden/x"), "refs/hidden/x", "", 0, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, s)
			dir := h.fetch(gitsource.Remote{URL: url, Ref: tt.ref, Depth: tt.depth})
			branch, _ := tryGit(t, dir, "", "symbolic-ref", "--short", "-q", "HEAD")
			upstream, _ := tryGit(t, dir, "", "rev-parse", "--abbrev-ref", "-q", "@{upstream}")
			got := map[string]any{
				"commit": git(t, dir, "rev-parse", "HEAD"), "branch": strings.TrimSpace(branch),
				"commits": len(strings.Fields(git(t, dir, "rev-list", "HEAD"))), "status": git(t, dir, "status", "--porcelain", "--ignored"),
				"origin": git(t, dir, "remote", "get-url", "origin"), "damage": git(t, dir, "fsck", "--no-dangling"),
			}
			want := map[string]any{
				"commit": at(tt.commit), "branch": tt.branch, "commits": tt.commits, "status": "", "origin": url, "damage": "",
			}
			if tt.branch != "" && strings.TrimSpace(upstream) != "origin/"+tt.branch {
				t.Errorf("upstream is %q", upstream)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			config, err := os.ReadFile(filepath.Join(dir, ".git", "config"))
			if err != nil || strings.Contains(string(config), h.cache) {
				t.Errorf("%v %s", err, config)
			}
			if _, err := os.Stat(filepath.Join(dir, ".git/objects/info/alternates")); err == nil {
				t.Error("it needs objects of this machine")
			}
			// What git makes of the commit is what is there.
			again := filepath.Join(t.TempDir(), "again")
			git(t, dir, "clone", "-q", "--no-local", ".", again)
			git(t, again, "checkout", "-q", "HEAD")
			if diff := cmp.Diff(listing(t, again), listing(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// listing is what a work tree holds, by path.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.Name() == ".git" && d.IsDir():
			return filepath.SkipDir
		case d.IsDir():
			all[rel] = "folder"
		case d.Type()&os.ModeSymlink != 0:
			target, err := os.Readlink(path)
			all[rel] = "-> " + target
			return err
		default:
			text, err := os.ReadFile(path)
			all[rel] = info.Mode().String() + " " + string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestWhatWasFetchedOnceIsThere(t *testing.T) {
	t.Parallel()
	r := sample(t)
	s := serve(t, filepath.Dir(r.dir), "")
	url := s.URL + "/" + filepath.Base(r.dir)
	head := r.git("rev-parse", "HEAD")
	h := newHost(t, s)
	get := func(ref string, depth int) (requests int) {
		t.Helper()
		dir := h.fetch(gitsource.Remote{URL: url, Ref: ref, Depth: depth})
		if got, want := git(t, dir, "rev-parse", "HEAD"), r.git("rev-parse", or(ref, "HEAD")); got != want {
			t.Errorf("%s is at %s, want %s", ref, got, want)
		}
		return len(s.Requests())
	}
	first := get("main", 1)
	if again := get("main", 1); again >= first || again > 2 {
		t.Errorf("%d requests, then %d", first, again)
	}
	if n := get(head, 1); n != 0 {
		t.Errorf("a commit that is there took %d requests", n)
	}
	r.commit("four", "README.md", "4\n")
	if n := get("main", 1); n < first {
		t.Errorf("a branch that has moved took %d requests", n)
	}
	get("main", 0)
	s.Close()
	get(head, 0)
	get(head, 2) // of the whole
	get(head+"", 1)
	if _, err := h.try(t.Context(), gitsource.Remote{URL: url, Ref: "main", Depth: 1}); err == nil {
		t.Error("a branch was taken from the cache without asking")
	}
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// A later fetch moves the ends of a shallow history, for all of its commits.
func TestAHistoryThatALaterFetchHasCutIsFetchedAgain(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	var commits []string
	for _, name := range []string{"1", "2", "3", "4", "5", "6"} {
		commits = append(commits, r.commit(name, "f", name))
		if name == "3" {
			r.git("branch", "old")
		}
	}
	s := serve(t, filepath.Dir(r.dir), "")
	url := s.URL + "/" + filepath.Base(r.dir)
	h := newHost(t, s)
	for _, ref := range []string{"old", "main", "old", commits[2], commits[3], "main", commits[2]} {
		dir := h.fetch(gitsource.Remote{URL: url, Ref: ref, Depth: 3})
		if n := len(strings.Fields(git(t, dir, "rev-list", "HEAD"))); n != 3 {
			t.Errorf("%s has %d commits", ref, n)
		}
		git(t, dir, "fsck")
	}
}
