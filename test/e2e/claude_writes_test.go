//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// TestWhatClaudeMayWriteIsTheWorkspace has a policy that allows writes, and nobody
// who says yes: what lies outside isn't written, by tools, by redirections, or behind
// a link that the workspace came with.
func TestWhatClaudeMayWriteIsTheWorkspace(t *testing.T) {
	t.Parallel()
	home, extra, temp := t.TempDir(), t.TempDir(), t.TempDir()
	outside := " is outside of the workspace and of add_dirs"
	write := func(file string) modelserver.Turn {
		return modelserver.Use("Write", map[string]any{"file_path": file, "content": "x\n"})
	}
	attempts := []struct {
		turn modelserver.Turn
		file string // that it writes
		why  string // it is asked about; empty: it is allowed
	}{
		{write("made"), "made", ""},
		{write("sub/made"), "sub/made", ""},
		{modelserver.Use("Edit", map[string]any{"file_path": "made", "old_string": "x", "new_string": "y"}), "made", ""},
		{bash("echo x >out"), "out", ""},
		{write(filepath.Join(extra, "made")), filepath.Join(extra, "made"), ""},
		{write(filepath.Join(temp, "made")), filepath.Join(temp, "made"), ""},
		{write(filepath.Join(home, ".bashrc")), filepath.Join(home, ".bashrc"), outside},
		{write("~/.zshrc"), filepath.Join(home, ".zshrc"), outside},
		{write("link/.profile"), filepath.Join(home, ".profile"), "a link in it leads to " + home},
		{write(".git/hooks/post-checkout"), ".git/hooks/post-checkout", "git's own folder"},
		{bash("echo x >>" + home + "/.bashrc"), filepath.Join(home, ".bashrc"), outside},
		{bash("echo x > ~/.bash_login"), filepath.Join(home, ".bash_login"), "known only when it runs"},
		{bash("cd ~ && echo x > .bash_profile"), filepath.Join(home, ".bash_profile"), "known only when"},
		{bash("cd " + home + " && echo x > .bash_aliases; cd /"), filepath.Join(home, ".bash_aliases"), outside},
		{bash(`echo "${x:-'$(echo x >` + home + `/.inputrc)'}"`), filepath.Join(home, ".inputrc"), "single quotes in an expansion"},
	}
	var script modelserver.Script
	for _, a := range attempts {
		script = append(script, a.turn)
	}
	c := newClaude(t, append(script, modelserver.Say("over")))
	c.env = append(c.env, "HOME="+home, "TMPDIR="+temp)
	c.edit(`default    = "ask"`, `default    = "allow"`)
	c.harness("add_dirs = [\"" + extra + "\"]")
	c.edit(`workspace "scratch" { secrets = [secret.ANTHROPIC_API_KEY] }`, `workspace "scratch" {
  secrets = [secret.ANTHROPIC_API_KEY]
  setup { run = ["/bin/ln -s `+home+` link"] }
}`)
	events := c.run("run", "--json", "--approve", "no", "Write").want(t, 0).events(t)
	smooth(t, events)
	decisions, results := find(events, "CUSTOM", "approval.decided"), c.results()
	if len(decisions) != len(attempts) || len(results) != len(attempts) {
		t.Fatalf("%d attempts, %d decisions, %d results", len(attempts), len(decisions), len(results))
	}
	for i, a := range attempts {
		file, want := a.file, "allow by policy"
		if !filepath.IsAbs(file) {
			file = filepath.Join(c.root(), file)
		}
		if a.why != "" {
			want = "deny by --approve no"
		}
		var v struct{ Decision, By, Rule string }
		decisions[i].value(&v)
		_, err := os.Lstat(file)
		if made := err == nil; made != (a.why == "") || v.Decision+" by "+v.By != want || !strings.Contains(v.Rule, a.why) {
			t.Errorf("attempt %d: %s is there: %v; %+v, want %s since %q; the model was told %q", i, file, made, v, want, a.why, results[i])
		}
	}
}
