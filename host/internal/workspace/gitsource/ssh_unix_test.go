//go:build unix

package gitsource_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitsource"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// The ssh of this test notes how it was called, and runs the command here.
func TestSSHAsksTheAgentAndNobodyElse(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit("one", "f", "x")
	bin := t.TempDir()
	log := filepath.Join(bin, "log")
	ssh := "#!/bin/sh\n{ echo \"$@\"; env; } >>" + log + "\nfor last; do :; done\nexec sh -c \"$last\"\n"
	if err := os.WriteFile(filepath.Join(bin, "ssh"), []byte(ssh), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	h := newHost(t, nil)
	h.token = gitsource.Token{Value: secretToken, Secret: "GH"} // which isn't for ssh
	for name, value := range map[string]string{
		"PATH": bin + ":" + h.env["PATH"], "SSH_AUTH_SOCK": "/the/agent", "SSH_ASKPASS": "ask", "GIT_SSH_COMMAND": "false", "GIT_ASKPASS": "ask",
	} {
		h.env[name] = value
	}
	for _, url := range []string{"ssh://git@example.com:2222" + r.dir, "git@example.com:" + r.dir} {
		dir := h.fetch(gitsource.Remote{URL: url, Depth: 1})
		if got := git(t, dir, "remote", "get-url", "origin"); got != url {
			t.Errorf("origin is %s", got)
		}
	}
	said, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"-o BatchMode=yes", "-p 2222", "git@example.com git-upload-pack", "SSH_AUTH_SOCK=/the/agent"} {
		if !strings.Contains(string(said), want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	for _, never := range []string{"ASKPASS=ask", secretToken} {
		if strings.Contains(string(said), never) {
			t.Errorf("%q in\n%s", never, said)
		}
	}
	h.env["PATH"] = noSSH(t, h.env["PATH"])
	_, err = h.try(t.Context(), gitsource.Remote{URL: "git@example.com:" + r.dir, Depth: 1})
	if sandbox.ClassOf(err) != sandbox.NotFound || !strings.Contains(err.Error(), "no program ssh") {
		t.Errorf("without ssh: %v", err)
	}
}

// noSSH is a PATH that has git and sh alone.
func noSSH(t *testing.T, path string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"git", "sh"} {
		for _, folder := range filepath.SplitList(path) {
			if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
				_ = os.Symlink(filepath.Join(folder, name), filepath.Join(dir, name))
			}
		}
	}
	return dir
}
