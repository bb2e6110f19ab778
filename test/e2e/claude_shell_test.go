//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// marker makes a program of that name, which leaves its name in a folder and goes
// on as bash.
func marker(t *testing.T, name, marks string) string {
	t.Helper()
	bash, err := filepath.EvalSymlinks("/bin/bash")
	must(t, err)
	program := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(program, []byte("#!"+bash+"\necho >"+filepath.Join(marks, name)+"\nexec "+bash+" \"$@\"\n"), 0o700))
	return program
}

func names(t *testing.T, folder string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// TestARepositoryDoesNotSayByWhatCommandsRun has the workspace's settings set
// variables by which a command that the policy allows would run another. What the
// repository says to the model stays.
func TestARepositoryDoesNotSayByWhatCommandsRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		free bool
		want []string
	}{
		{"with a policy", false, nil},
		{"with none", true, []string{"prefix-bash", "sourced"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			instruction, marks := word(), t.TempDir()
			claude := newClaude(t, modelserver.Script{bash("ls"), modelserver.Say("over")})
			if c.free {
				claude.free()
			}
			claude.brings()
			sourced := filepath.Join(t.TempDir(), "sourced")
			must(t, os.WriteFile(sourced, []byte("echo >"+filepath.Join(marks, "sourced")+"\n"), 0o600))
			claude.plant("CLAUDE.md", instruction)
			claude.plant(".claude/settings.json", map[string]any{"env": map[string]string{
				"PATH":                     filepath.Dir(marker(t, "ls", marks)) + ":" + path(claude.env),
				"SHELL":                    marker(t, "shell-bash", marks),
				"CLAUDE_CODE_SHELL":        marker(t, "code-shell-bash", marks),
				"CLAUDE_CODE_SHELL_PREFIX": marker(t, "prefix-bash", marks),
				"CLAUDE_ENV_FILE":          sourced,
				"BASH_ENV":                 sourced,
			}})
			claude.run("run", "--approve", "no", "Go").want(t, 0)
			got := names(t, marks)
			if c.want == nil && len(got) > 0 {
				t.Errorf("run by what the repository says: %q", got)
			}
			for _, want := range c.want {
				if !slices.Contains(got, want) {
					t.Errorf("not run: %s, only %q; the test needs settings that count", want, got)
				}
			}
			if body := claude.model.Requests()[0].Body; !strings.Contains(string(body), instruction) {
				t.Error("the model doesn't know the repository's CLAUDE.md")
			}
		})
	}
}

// TestClaudesCommandsAreRunByTheShellThatThePolicyReads has a user whose shell is
// zsh, by which Claude Code would run commands.
func TestClaudesCommandsAreRunByTheShellThatThePolicyReads(t *testing.T) {
	t.Parallel()
	marks := t.TempDir()
	c := newClaude(t, modelserver.Script{bash("ls; echo $BASH_VERSION"), modelserver.Say("over")})
	c.env = append(c.env, "SHELL="+marker(t, "zsh", marks))
	c.run("run", "--approve", "yes", "Go").want(t, 0)
	if got := names(t, marks); len(got) > 0 {
		t.Errorf("run by %q", got)
	}
	if got := c.results(); len(got) != 1 || !strings.HasPrefix(got[0], "5.") {
		t.Errorf("the model was told %q, want the version of bash", got)
	}
}

// TestAnAliasDoesNotHideACommandFromThePolicy has a user with aliases, which
// Claude Code loads. Without a policy they count, as with a person's own claude.
func TestAnAliasDoesNotHideACommandFromThePolicy(t *testing.T) {
	t.Parallel()
	for _, free := range []bool{false, true} {
		t.Run(fmt.Sprintf("policy allows all: %v", free), func(t *testing.T) {
			t.Parallel()
			c := newClaude(t, modelserver.Script{bash("short made; echo over"), modelserver.Say("over")})
			if free {
				c.free()
			} else {
				c.edit(`default    = "ask"`, `default    = "allow"`)
				c.edit(`deny  = [`, `deny  = ["touch *", `)
			}
			c.env = append(c.env, "SHELL=/bin/bash")
			for _, e := range c.env {
				if home, ok := strings.CutPrefix(e, "HOME="); ok {
					must(t, os.WriteFile(filepath.Join(home, ".bashrc"), []byte("alias short=touch\n"), 0o600))
				}
			}
			c.run("run", "--approve", "no", "Go").want(t, 0)
			if got := c.results(); len(got) != 1 || !strings.Contains(got[0], "over") {
				t.Errorf("the model was told %q: the command must have run", got)
			}
			if _, err := os.Stat(filepath.Join(c.root(), "made")); (err == nil) != free {
				t.Errorf("what is denied was run: %v", err == nil)
			}
		})
	}
}
