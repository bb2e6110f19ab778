//go:build unix

package gitbox_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitbox"
	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitsource"
	"github.com/sandlot-dev/sandlot/test/gitserver"
)

const secretToken = "tok_0123456789abcdef"

// world is a sandbox with a clone of a repository that only the token opens. Its
// commands run on this machine.
type world struct {
	t      *testing.T
	server *gitserver.Server
	bare   string // the repository
	root   string // the workspace
	home   string // of the agent
	path   string // PATH of commands in the sandbox
	nobody bool   // its environment doesn't say who commits
	src    gitbox.Source
	box    gitbox.Box

	stdout, stderr bytes.Buffer
}

func newWorld(t *testing.T) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, bare: filepath.Join(top, "served", "r.git"), root: filepath.Join(top, "root"), home: filepath.Join(top, "home"),
		path: os.Getenv("PATH"),
	}
	for _, dir := range []string{w.bare, w.home, filepath.Join(top, "state")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if w.server, err = gitserver.Start(filepath.Dir(w.bare), secretToken, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.server.Close)
	w.src = gitbox.Source{URL: w.server.URL + "/r.git", Token: gitsource.Token{Value: secretToken, Secret: "GH"}}
	w.in(filepath.Dir(w.bare), "git", "init", "-q", "--bare", "-b", "main", "r.git")
	w.in(top, "git", "init", "-q", "-b", "main", "first")
	w.commit(filepath.Join(top, "first"), "one", "f", "1\n")
	w.commit(filepath.Join(top, "first"), "two", "f", "2\n")
	w.in(filepath.Join(top, "first"), "git", "push", "-q", w.bare, "main")
	w.in(top, "git", "clone", "-q", "--depth=1", "file://"+w.bare, "root")
	w.in(w.root, "git", "remote", "set-url", "origin", w.src.URL)
	w.box = gitbox.Box{Root: w.root, StateDir: filepath.Join(top, "state"), Run: w.run}
	t.Cleanup(func() {
		if left, _ := os.ReadDir(w.box.StateDir); len(left) > 0 {
			t.Errorf("left in the sandbox: %v", left)
		}
	})
	return w
}

func (w *world) env() []string {
	env := []string{"PATH=" + w.path, "HOME=" + w.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_SSL_CAINFO=" + w.server.CA, "LC_ALL=C"}
	if w.nobody {
		return env
	}
	return append(env, "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
}

// run runs a command as a provider does.
func (w *world) run(ctx context.Context, c gitbox.Command) (int, error) {
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.root, w.env(), c.Stdout, c.Stderr
	for name, value := range c.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	for _, arg := range c.Argv {
		if strings.Contains(arg, secretToken) {
			w.t.Errorf("the token is an argument: %q", c.Argv)
		}
	}
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// in runs a command somewhere, and returns what it printed.
func (w *world) in(dir string, argv ...string) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LC_ALL=C",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%q: %v\n%s", argv, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes a file, commits it and returns the commit.
func (w *world) commit(dir, message, name, text string) string {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.in(dir, "git", "add", "-A")
	w.in(dir, "git", "commit", "-q", "-m", message)
	return w.in(dir, "git", "rev-parse", "HEAD")
}

// git runs one of our verbs.
func (w *world) git(verb string, args ...string) (int, error) {
	w.t.Helper()
	w.stdout.Reset()
	w.stderr.Reset()
	return w.box.Git(w.t.Context(), w.src, verb, args, gitbox.Streams{Stdout: &w.stdout, Stderr: &w.stderr})
}

// ok runs one that must succeed.
func (w *world) ok(verb string, args ...string) string {
	w.t.Helper()
	if code, err := w.git(verb, args...); code != 0 || err != nil {
		w.t.Fatalf("git %s %q: %d, %v\n%s%s", verb, args, code, err, &w.stdout, &w.stderr)
	}
	return w.stdout.String()
}

// served is what a ref is at in the repository.
func (w *world) served(ref string) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "git", "--git-dir="+w.bare, "rev-parse", "--verify", "-q", ref)
	out, _ := cmd.Output() // empty: there is none
	return strings.TrimSpace(string(out))
}
