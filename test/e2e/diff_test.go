//go:build linux

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// newBusy is a project whose agent may do what its prompt says.
func newBusy(t *testing.T) *stage {
	t.Helper()
	s := newDemo(t)
	s.edit(`default          = "ask"`, `default          = "allow"`)
	s.env[0] += ":/usr/bin:/bin"
	return s
}

// tool runs a program as a person would, outside of any sandbox.
func (s *stage) tool(dir, stdin string, argv ...string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%q: %v\n%s", argv, err, clip(string(out)))
	}
	return string(out)
}

// contents are a folder's files with hash and mode, .git and what is left out
// of a diff aside.
func (s *stage) contents(dir string) string {
	return s.tool(dir, "", "sh", "-c", `find . \( -name .git -o -name nested -o -name '*.log' \) -prune -o \( -type f -o -type l \) -print0 |
		LC_ALL=C sort -z | xargs -0 -I{} sh -c 'printf "%s " "$1"; if [ -h "$1" ]; then readlink "$1"; else stat -c %A "$1" | cut -c4; sha256sum <"$1"; fi' sh {}`)
}

// TestADiffReproducesAllThatAnAgentDidInACleanClone has one run make a clone and
// the next change all sorts of things in it, 50 MB of them in one file.
func TestADiffReproducesAllThatAnAgentDidInACleanClone(t *testing.T) {
	t.Parallel()
	s := newBusy(t)
	origin, clone := filepath.Join(t.TempDir(), "origin"), filepath.Join(t.TempDir(), "clone")
	s.tool("/", "", "sh", "-euc", `git init -q "$1"; cd "$1"; seq 1000 >changed; seq 2000 >moved; echo a >removed; printf 'a\000b' >binary
		echo '*.log' >.gitignore; git add .; git commit -qm a; git gc -q`, "sh", origin)
	s.run("run", "--thread", "t", "run git clone -q "+origin+" .").want(t, 0)
	s.tool("/", "", "git", "clone", "-q", origin, clone)
	agent := `sed -i 5d changed; mkdir d; mv moved d/moved; rm removed; printf 'c\000' >>binary; head -c 50000000 /dev/urandom >large; echo u >untracked; echo i >x.log; ` +
		`printf 'gr\374n\n' >latin; ln -s /nowhere link; echo x >run; chmod +x run; git init -q nested; echo n >nested/n`
	r := s.run("run", "--thread", "t", "--run-id", "r", "run "+agent).want(t, 0)
	for _, want := range []string{"9 files changed", "sandlot diff r", "nested"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("run doesn't say %q: %s", want, r.stderr)
		}
	}
	r = s.run("diff", "r").want(t, 0)
	if !strings.Contains(r.stderr, `"nested"`) {
		t.Errorf("diff says %q", r.stderr)
	}
	s.tool(clone, r.stdout, "git", "apply", "-")
	if diff := cmp.Diff(s.contents(s.root()), s.contents(clone)); diff != "" {
		t.Errorf("(-the agent's +the clone):\n%s", clip(diff))
	}
	var line struct {
		Type    string
		Diff    string
		Escaped bool
	}
	out := s.run("diff", "--json", "r").want(t, 0).stdout
	if err := json.Unmarshal([]byte(strings.SplitN(out, "\n", 3)[1]), &line); err != nil || line.Type != "diff" || !line.Escaped || !strings.Contains(line.Diff, "+gr%FCn\n") {
		t.Errorf("--json gives %v, %q, escaped %v", err, line.Type, line.Escaped)
	}
	if left, err := filepath.Glob(filepath.Join(s.home, "runs/*/big/*")); err != nil || len(left) != 1 {
		t.Errorf("payloads: %q, %v", left, err)
	}
	if left, err := filepath.Glob(filepath.Join(s.home, "sandboxes/*/state/diffs*")); err != nil || len(left) != 0 {
		t.Errorf("baselines are left: %q, %v", left, err)
	}
}

func TestARunThatFailsOrIsCanceledHasItsDiff(t *testing.T) {
	t.Parallel()
	s := newMinimal(t)
	s.run("run", "--run-id", "failed", "append f\nexit 3").want(t, 3)
	s.run("run", "--run-id", "canceled", "--detach", "append g\nsleep 60").want(t, 0)
	until(t, 10*time.Second, "the agent has written", func() bool {
		found, err := filepath.Glob(filepath.Join(s.home, "sandboxes/*/root/g"))
		return err == nil && len(found) == 1
	})
	r := s.run("diff", "canceled").want(t, 1)
	if !strings.Contains(r.stderr, "it goes on") || !strings.Contains(r.stderr, "sandlot attach canceled") {
		t.Errorf("of a live run it says %q", r.stderr)
	}
	s.run("cancel", "canceled").want(t, 0)
	for run, file := range map[string]string{"failed": "b/f\n", "canceled": "b/g\n"} {
		if out := s.run("diff", run).want(t, 0).stdout; !strings.Contains(out, file) {
			t.Errorf("%s: %s", run, out)
		}
	}
}

// TestACanceledRunWithoutDriverHasItsDiff has another driver end it, that never
// saw the agent begin.
func TestACanceledRunWithoutDriverHasItsDiff(t *testing.T) {
	t.Parallel()
	s := newMinimal(t)
	s.orphan("append f\nsleep 60")
	until(t, 10*time.Second, "the agent has written", func() bool { return size(filepath.Join(s.root(), "f")) > 0 })
	s.run("cancel", "r").want(t, 0)
	out := s.run("diff", "r").want(t, 0).stdout
	if !strings.Contains(out, "b/f\n") || strings.Count(s.run("attach", "--json", "r").want(t, 4).stdout, "file.changed") != 1 {
		t.Errorf("the diff is %q", out)
	}
}

func TestARunThatChangesNothingHasNoDiff(t *testing.T) {
	t.Parallel()
	s := newMinimal(t)
	s.run("run", "--run-id", "r", "say a").want(t, 0)
	r := s.run("diff", "r").want(t, 0)
	if r.stdout != "" || r.stderr != "run r changed nothing\n" {
		t.Errorf("got %q, %q", r.stdout, r.stderr)
	}
	r = s.run("diff", "nobody").want(t, 1)
	if !strings.Contains(r.stderr, `find run "nobody"`) {
		t.Errorf("of no run it says %q", r.stderr)
	}
}

func TestASandboxWithoutGitHasRunsWithoutDiffs(t *testing.T) {
	t.Parallel()
	s := newMinimal(t)
	bare := t.TempDir()
	if err := os.Symlink(filepath.Join(built, "sh"), filepath.Join(bare, "sh")); err != nil {
		t.Fatal(err)
	}
	s.env[0] = "PATH=" + bare
	events := s.run("run", "--json", "--run-id", "r", "append f").want(t, 0).events(t)
	warnings := find(events, "CUSTOM", "warning")
	if len(warnings) != 1 || !strings.Contains(string(warnings[0].Event.Value), "no git") {
		t.Errorf("the warnings are %+v", warnings)
	}
	if r := s.run("diff", "r").want(t, 1); !strings.Contains(r.stderr, "no git") || !strings.Contains(r.stderr, "install git") {
		t.Errorf("diff says %q", r.stderr)
	}
}

// TestASecretInAFileIsScrubbedFromTheDiff also has one that goes over lines.
func TestASecretInAFileIsScrubbedFromTheDiff(t *testing.T) {
	t.Parallel()
	s := newBusy(t)
	s.edit("sandbox \"demo\" {", `secret "TOKEN" { env = "HOST_TOKEN" }
secret "KEY" { env = "HOST_KEY" }
workspace "w" { secrets = [secret.TOKEN, secret.KEY] }
sandbox "demo" {
  workspace = workspace.w`)
	s.env = append(s.env, "HOST_TOKEN=canary-77aa55ee", "HOST_KEY=-----BEGIN\ncanary-line-one\ncanary-line-two\n")
	r := s.run("run", "--run-id", "r", `run echo "is $TOKEN" >f; printf '%s' "$KEY" >key; git init -q d; echo x >g`).want(t, 0)
	if !strings.Contains(r.stderr, "may not apply") {
		t.Errorf("nothing is said of it: %s", r.stderr)
	}
	r = s.run("diff", "r").want(t, 0)
	if strings.Contains(r.stdout, "canary") || !strings.Contains(r.stdout, "+is ***\n") || !strings.Contains(r.stderr, "may not apply") {
		t.Errorf("the diff is %q, %q", r.stdout, r.stderr)
	}
	if data, err := os.ReadFile(filepath.Join(s.home, "store.db")); err != nil || strings.Contains(string(data), "canary-") {
		t.Errorf("the store holds a secret, or can't be read: %v", err)
	}
}

// TestWhoeverIsKilledWhileGitWorksTheDiffIsTheSame kills where another must
// end, or make good, what git has begun.
func TestWhoeverIsKilledWhileGitWorksTheDiffIsTheSame(t *testing.T) {
	t.Parallel()
	want, _, _ := undisturbed(t)
	for _, victim := range []string{"driver", "provider"} {
		for call, late := range map[string]bool{"after start baseline-r": false, "after start diff-r": true} {
			t.Run(victim+" "+call, func(t *testing.T) {
				if diff := cmp.Diff(want, disturb(t, victim, call, late)); diff != "" {
					t.Errorf("the log differs:\n%s", clip(diff))
				}
			})
		}
	}
}
