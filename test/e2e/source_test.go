//go:build linux

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestASourceOfHostileNamesArrivesWhole(t *testing.T) {
	t.Parallel()
	s := fresh(t, `source "local" { path = "src" }`)
	names := []string{"-rf", "a\nb", "$(touch x)", strings.Repeat("n", 255), "bad\xff\xfe", " ", "deep/er/-n", "`id`", "*"}
	for _, name := range names {
		s.source("src/"+name, name)
	}
	for link, target := range map[string]string{"to-file": "deep/er/-n", "to-nothing": "missing", "to-folder": "deep"} {
		if err := os.Symlink(target, filepath.Join(s.project, "src", link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(s.project, "src", "-rf"), 0o751); err != nil {
		t.Fatal(err)
	}
	s.run("run", "say hello").want(t, 0)
	for _, name := range names {
		if got := s.file(name); got != name {
			t.Errorf("%q holds %q", name, got)
		}
	}
	if target, err := os.Readlink(filepath.Join(s.root(), "to-nothing")); target != "missing" || err != nil {
		t.Errorf("the link points to %q, %v", target, err)
	}
	if info, err := os.Stat(filepath.Join(s.root(), "-rf")); err != nil || info.Mode() != 0o751 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
}

// inDir is fresh, in a folder of the user's own, which is made.
func inDir(t *testing.T, workspace string) (s *stage, dir string) {
	t.Helper()
	s = fresh(t, workspace)
	s.edit(`provider "localprocess" "here" {}`, `provider "localprocess" "here" { dir = "mine" }`)
	dir = filepath.Join(s.project, "mine")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return s, dir
}

func entries(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestASourceIsNeverPutOverFilesOfTheUsersOwn(t *testing.T) {
	t.Parallel()
	s, dir := inDir(t, `source "local" { path = "src" }`)
	s.source("src/f", "theirs")
	s.source("mine/f", "mine")
	r := s.run("run", "say hello").want(t, 1)
	if !strings.Contains(r.stderr, "isn't empty: it holds f") || !strings.Contains(r.stderr, "leave out the source") {
		t.Errorf("it says: %s", r.stderr)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "f")); string(data) != "mine" || err != nil {
		t.Errorf("the user's file holds %q, %v", data, err)
	}
}

func TestAFolderOfTheUsersOwnIsEmptyAgainAfterAFailure(t *testing.T) {
	t.Parallel()
	s, dir := inDir(t, `
  source "local" { path = "src" }
  setup { run = ["echo more >more; exit 1"] }`)
	s.source("src/d/f", "content")
	s.run("run", "say hello").want(t, 1)
	if left := entries(t, dir); left != "" {
		t.Errorf("left in the user's folder: %s", left)
	}
	s.edit("exit 1", "true")
	s.run("run", "say hello").want(t, 0)
	if got := entries(t, dir); got != "d more" {
		t.Errorf("the folder holds: %s", got)
	}
	s.run("destroy", "minimal").want(t, 0)
	if got := entries(t, dir); got != "d more" {
		t.Errorf("after destroy the folder holds: %s", got)
	}
}

func TestSetupInAFolderOfTheUsersOwnLeavesItStanding(t *testing.T) {
	t.Parallel()
	s, dir := inDir(t, `setup { run = ["cat own; echo made >made; exit 1"] }`)
	s.source("mine/own", "mine")
	s.run("run", "say hello").want(t, 1)
	if got := entries(t, dir); got != "made own" {
		t.Errorf("the folder holds: %s", got)
	}
}

func TestASourceIsNotCopiedIntoItself(t *testing.T) {
	t.Parallel()
	s, _ := inDir(t, `source "local" { path = "." }`)
	if r := s.run("run", "say hello").want(t, 1); !strings.Contains(r.stderr, "copied into itself") {
		t.Errorf("it says: %s", r.stderr)
	}
}

func TestTheStateFolderIsNotCopied(t *testing.T) {
	t.Parallel()
	s := fresh(t, `source "local" { path = "." }`)
	s.home = filepath.Join(s.project, "state", "sandlot")
	s.env = append(s.env, "SANDLOT_HOME="+s.home)
	s.source("f", "content")
	s.source("state/other", "content")
	s.run("run", "say hello").want(t, 0)
	if got := entries(t, s.root()); got != "f sandlot.hcl state" {
		t.Errorf("the sandbox holds: %s", got)
	}
	if got := entries(t, filepath.Join(s.root(), "state")); got != "other" {
		t.Errorf("its state folder holds: %s", got)
	}
}

func TestSecretsReachSetupAndNoLog(t *testing.T) {
	t.Parallel()
	const canary = "canary-5f0c77aa55ee"
	s := fresh(t, `
  env     = { HEADER = "x ${secret.TOKEN}" }
  secrets = [secret.TOKEN]
  setup { run = ["printf %s \"$TOKEN\" | cut -c1-9; printf 'canary-5'; sleep 1; printf '%s\\n' \"$${TOKEN#canary-5}\"", "echo \"$HEADER\" >&2; set -x; : $TOKEN; exit 6"] }
`)
	s.edit(`workspace "w"`, "secret \"TOKEN\" { env = \"HOST_TOKEN\" }\nworkspace \"w\"")
	s.env = append(s.env, "HOST_TOKEN="+canary)
	r := s.run("run", "--json", "--run-id", "r", "say hello").want(t, 1)
	events := r.events(t)
	if got := output(events, "stdout"); !strings.Contains(got, "canary-5f\n***\n") {
		t.Errorf("stdout of setup: %q", got)
	}
	if last := events[len(events)-1].Event; !strings.Contains(last.Message, "exit code 6") || !strings.Contains(last.Message, "***") {
		t.Errorf("the run ends with %q", last.Message)
	}
	if strings.Contains(r.stdout+r.stderr, canary) {
		t.Error("the secret is shown")
	}
	err := filepath.WalkDir(s.home, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), canary) {
			t.Errorf("the secret stands in %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatSetupPrintsIsText(t *testing.T) {
	t.Parallel()
	s := fresh(t, `setup { run = ["printf 'a\\377\\n'; printf '\\033[31mred\\033[0m\\r\\n'; printf 'end'"] }`)
	r := s.run("run", "--json", "say hello").want(t, 0)
	if !json.Valid([]byte(strings.Split(r.stdout, "\n")[1])) {
		t.Errorf("not JSON: %s", clip(r.stdout))
	}
	if got := output(r.events(t), "stdout"); got != "a\ufffd\n\x1b[31mred\x1b[0m\r\nend" {
		t.Errorf("stdout of setup: %q", got)
	}
	s.edit("end'", "end2'")
	for _, want := range []string{"│ a\ufffd\n", "│ red\n", "│ end2\n"} {
		if r := s.run("run", "--thread", word(), "say hello").want(t, 0); !strings.Contains(r.stderr, want) {
			t.Errorf("%q isn't shown: %q", want, r.stderr)
		}
	}
}
