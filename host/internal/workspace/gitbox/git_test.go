//go:build unix

package gitbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitbox"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestWorkIsCommittedAndPushed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := os.WriteFile(filepath.Join(w.root, "new"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := w.ok("status", "--short"); got != "?? new\n" {
		t.Errorf("status: %q", got)
	}
	w.ok("add", "-A")
	w.ok("commit", "-m", "new file")
	head := w.in(w.root, "git", "rev-parse", "HEAD")
	w.ok("push")
	if got := w.served("main"); got != head {
		t.Errorf("main is at %s, want %s", got, head)
	}
	if got := w.in(w.root, "git", "status", "-sb"); got != "## main...origin/main" {
		t.Errorf("afterwards: %s", got)
	}
	w.ok("branch", "side")
	w.ok("push", "-u", "origin", "side", "HEAD:feature/x")
	if w.served("side") != head || w.served("feature/x") != head {
		t.Errorf("side is at %q, feature/x at %q", w.served("side"), w.served("feature/x"))
	}
	if got := w.in(w.root, "git", "rev-parse", "--abbrev-ref", "side@{upstream}"); got != "origin/side" {
		t.Errorf("upstream: %s", got)
	}
	w.in(w.root, "git", "tag", "-a", "v1", "-m", "v1")
	w.ok("push", "origin", "v1")
	w.ok("push", "-d", "origin", "side")
	if w.served("v1") == "" || w.served("side") != "" {
		t.Errorf("v1 is at %q, side at %q", w.served("v1"), w.served("side"))
	}
}

func TestAPushThatWouldLoseWorkIsRefusedUnlessForced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := filepath.Join(filepath.Dir(w.root), "other")
	w.in(filepath.Dir(w.root), "git", "clone", "-q", w.bare, other)
	theirs := w.commit(other, "theirs", "g", "x")
	w.in(other, "git", "push", "-q", "origin", "main")
	ours := w.commit(w.root, "ours", "h", "x")
	for _, args := range [][]string{nil, {"--force-with-lease"}, {"--force-with-lease", "origin", "main:main"}} {
		if code, err := w.git("push", args...); code == 0 || err != nil || !strings.Contains(w.stderr.String(), "rejected") {
			t.Errorf("%q: %d, %v: %s", args, code, err, &w.stderr)
		}
	}
	if got := w.served("main"); got != theirs {
		t.Fatalf("main is at %s", got)
	}
	w.ok("push", "-f", "-n")
	if got := w.served("main"); got != theirs {
		t.Fatalf("a push that was only tried has moved main to %s", got)
	}
	w.ok("push", "--force")
	if got := w.served("main"); got != ours {
		t.Errorf("main is at %s", got)
	}
}

func TestPullTakesWhatIsNewAndNoMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := filepath.Join(filepath.Dir(w.root), "other")
	w.in(filepath.Dir(w.root), "git", "clone", "-q", w.bare, other)
	theirs := w.commit(other, "theirs", "g", "x")
	w.in(other, "git", "push", "-q", "origin", "main")
	w.ok("pull")
	if got := w.in(w.root, "git", "rev-parse", "HEAD", "origin/main"); got != theirs+"\n"+theirs {
		t.Errorf("at %s", got)
	}
	w.ok("pull", "origin", "main")
	w.commit(other, "more of theirs", "g", "y")
	w.in(other, "git", "push", "-q", "origin", "main")
	w.commit(w.root, "ours", "h", "x")
	if code, err := w.git("pull"); code == 0 || err != nil {
		t.Errorf("%d, %v: %s", code, err, &w.stderr)
	}
	w.ok("pull", "--rebase")
	if got := w.in(w.root, "git", "log", "--format=%s", "-3"); got != "ours\nmore of theirs\ntheirs" {
		t.Errorf("the log: %s", got)
	}
	w.in(w.root, "git", "fsck")
}

func TestWhatIsNotDoneSaysWhyAndWhatToDo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		make  func(w *world)
		argv  []string
		class sandbox.Class
		says  string
	}{
		{"no git", func(w *world) { w.path = w.t.TempDir() }, []string{"status"}, sandbox.NotFound, "no program git on its PATH (install it"},
		{"no repository", func(w *world) { _ = os.RemoveAll(filepath.Join(w.root, ".git")) }, []string{"status"}, sandbox.NotFound, "isn't a git repository"},
		{"no source", func(w *world) { w.src = gitbox.Source{} }, []string{"push"}, sandbox.Invalid, "wasn't made of a repository"},
		{"another remote", nil, []string{"push", "upstream"}, sandbox.Invalid, "this is upstream (to reach another one run git with sandlot exec"},
		{"another URL", nil, []string{"pull", "https://example.com/x"}, sandbox.Invalid, "this is https://example.com/x"},
		{"an option of push", nil, []string{"push", "--receive-pack=x"}, sandbox.Invalid, "push knows no option --receive-pack=x"},
		{"an option of pull", nil, []string{"pull", "--upload-pack=x"}, sandbox.Invalid, "pull knows no option --upload-pack=x"},
		{"a branch that isn't there", nil, []string{"push", "origin", "nope"}, sandbox.NotFound, `no branch, tag or commit "nope"`},
		{"a pattern", nil, []string{"push", "origin", "refs/heads/*:refs/heads/*"}, sandbox.Invalid, "push takes branches and tags"},
		{"no branch", func(w *world) { w.in(w.root, "git", "checkout", "-q", "--detach") }, []string{"push"}, sandbox.Invalid, "push origin HEAD:NAME"},
		{"no branch to pull into", func(w *world) { w.in(w.root, "git", "checkout", "-q", "--detach") }, []string{"pull"}, sandbox.Invalid, "pull origin BRANCH"},
		{"nothing to delete", nil, []string{"push", "-d"}, sandbox.Invalid, "push -d origin NAME"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if tt.make != nil {
				tt.make(w)
			}
			_, err := w.git(tt.argv[0], tt.argv[1:]...)
			if sandbox.ClassOf(err) != tt.class || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%s: %v", sandbox.ClassOf(err), err)
			}
		})
	}
}

func TestATokenThatIsRefusedIsNotShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.src.Token.Value, w.src.Token.Secret = "wrong-token-0123", "GH"
	w.commit(w.root, "ours", "h", "x")
	for _, verb := range []string{"push", "pull"} {
		code, err := w.git(verb)
		said := w.stdout.String() + w.stderr.String()
		if code == 0 || err != nil || !strings.Contains(said, "Authentication failed") {
			t.Errorf("%s: %d, %v: %s", verb, code, err, said)
		}
		if strings.Contains(said, "wrong-token") || !strings.Contains(said, "who are you, ***?") {
			t.Errorf("%s: %s", verb, said)
		}
		if !strings.Contains(said, "secret.GH was given as the token: see that it is valid, hasn't run out, and may do this in "+w.src.URL) {
			t.Errorf("%s doesn't name the secret: %s", verb, said)
		}
	}
}

func TestSomebodyCommitsWhereTheSandboxNamesNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.nobody = true
	w.ok("commit", "--allow-empty", "-m", "by nobody")
	w.in(w.root, "git", "config", "user.name", "Own")
	w.in(w.root, "git", "config", "user.email", "own@example.com")
	w.ok("commit", "--allow-empty", "-m", "by somebody")
	want := "Own <own@example.com>\nSandlot <sandlot@localhost>"
	if got := w.in(w.root, "git", "log", "-2", "--format=%an <%ae>"); got != want {
		t.Errorf("committed by %s", got)
	}
}
