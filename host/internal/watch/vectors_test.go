//go:build unix

package watch

import (
	"os"
	"path/filepath"
	"testing"
)

// vectors are ways by which plain git runs a program that an agent has planted
// in a repository. plant runs there with the program in $canary; fire is a
// command of plain git that runs it.
var vectors = []struct{ name, plant, fire string }{
	{"core.fsmonitor", `git config core.fsmonitor "$canary"`, `git status`},
	{"diff.external", `git config diff.external "$canary"; echo a >fired; git add fired; echo b >fired`, `git diff`},
	{"filter.clean", `git config filter.x.clean "$canary"; git config filter.x.required true; echo '* filter=x' >.gitattributes; echo a >fired`, `git add -A`},
	{"filter.process", `git config filter.x.process "$canary"; echo '* filter=x' >.gitattributes; echo a >fired`, `git add -A`},
	{"diff.textconv", `git config diff.x.textconv "$canary"; echo '* diff=x' >.gitattributes; echo a >fired; git add fired; echo b >fired`, `git diff`},
	{"diff.command", `git config diff.x.command "$canary"; echo '* diff=x' >.gitattributes; echo a >fired; git add fired; echo b >fired`, `git diff`},
	{"hooks", `mkdir -p .git/hooks; for h in post-index-change pre-commit reference-transaction; do cp "$canary" .git/hooks/$h; done; echo a >fired`, `git add -A`},
	{"core.hooksPath", `mkdir h; cp "$canary" h/post-index-change; git config core.hooksPath "$PWD/h"; echo a >fired`, `git add -A`},
	{"an included file", `printf '[core]\n\tfsmonitor = %s\n' "$canary" >evil; git config include.path ../evil`, `git status`},
	{"the configuration of a worktree", `git config extensions.worktreeConfig true; git config --worktree core.fsmonitor "$canary"`, `git status`},
}

// canary is a program that leaves a file where it ran.
func canary(t *testing.T) (program, trace string) {
	t.Helper()
	dir := t.TempDir()
	program, trace = filepath.Join(dir, "canary"), filepath.Join(dir, "trace")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"$0 $*\" >>"+trace+"\ncat 2>/dev/null\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return program, trace
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// TestWhatAnAgentPlantsInARepositoryNeverRuns shows first that each planted
// program runs with plain git, and then has it planted before the baseline and
// between that and the diff.
func TestWhatAnAgentPlantsInARepositoryNeverRuns(t *testing.T) {
	for _, v := range vectors {
		for _, where := range []string{".", "deep/er/nested"} {
			t.Run(v.name+" in "+where, func(t *testing.T) {
				program, trace := canary(t)
				plant := func(l *local) string {
					dir := filepath.Join(l.root, where)
					l.sh(l.root, "mkdir -p "+where+"; cd "+where+"; git init -q; git commit -q --allow-empty -m a; canary="+program+"; "+v.plant)
					return dir
				}
				l := newLocal(t)
				_, _ = l.try(plant(l), v.fire) // a canary makes no good monitor or filter
				if !exists(trace) {
					t.Fatal("it doesn't fire with plain git: the test shows nothing")
				}
				for _, before := range []bool{true, false} {
					if err := os.RemoveAll(trace); err != nil {
						t.Fatal(err)
					}
					l := newLocal(t)
					if before {
						plant(l)
						_ = os.Remove(trace) // by planting it, perhaps
					}
					b := l.baseline()
					if !before {
						plant(l)
						_ = os.Remove(trace)
					}
					l.sh(l.root, "echo changed >changed; echo changed >>fired; echo changed >>"+where+"/fired")
					patch, _ := l.diff(b)
					if exists(trace) {
						t.Errorf("planted before the baseline: %v: it ran", before)
					}
					if len(filesOf(patch)) == 0 {
						t.Error("there is no patch")
					}
				}
			})
		}
	}
}

// TestTheEnvironmentTellsGitNothing has what runs a program or moves a
// repository in the provider's own environment and in its home.
func TestTheEnvironmentTellsGitNothing(t *testing.T) {
	program, trace := canary(t)
	l := newLocal(t)
	home := t.TempDir()
	l.sh(home, `git config -f .gitconfig core.fsmonitor `+program+`; git config -f .gitconfig diff.external `+program+
		`; mkdir -p .config/git; echo '* filter=x' >.config/git/attributes; echo '*' >.config/git/ignore; git config -f .gitconfig filter.x.clean `+program)
	l.env = append(l.env, "HOME="+home, "GIT_CONFIG_NOSYSTEM=0", "GIT_EXTERNAL_DIFF="+program, "GIT_DIR=/nowhere", "GIT_INDEX_FILE=/nowhere",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0="+program, "GIT_WORK_TREE=/", "GIT_OBJECT_DIRECTORY=/nowhere",
		"GIT_CONFIG_PARAMETERS='core.fsmonitor'='"+program+"'", "GIT_NAMESPACE=x", "GIT_LITERAL_PATHSPECS=1", "GIT_EXEC_PATH="+filepath.Dir(program),
		"GIT_DIFF_OPTS=-u0", "GIT_TRACE="+trace, "GIT_TRACE2_EVENT="+trace, "GIT_ICASE_PATHSPECS=1", "index=/nowhere", "CDPATH=/")
	b := l.baseline()
	if err := os.WriteFile(filepath.Join(l.root, "f"), []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	patch, _ := l.diff(b)
	equal(t, "files", []string{"f"}, filesOf(patch))
	if exists(trace) {
		t.Error("it ran")
	}
}

// TestNoProgramIsTakenFromWhereTheAgentWrites puts a git, and others, where a
// careless PATH finds them first.
func TestNoProgramIsTakenFromWhereTheAgentWrites(t *testing.T) {
	program, trace := canary(t)
	l := newLocal(t)
	l.env = append(l.env, "PATH="+l.root+":"+l.root+"/bin:.::bin:"+l.state+"/bin:"+os.Getenv("PATH"))
	plant := `mkdir -p bin; for p in git find sed env mkdir rm cp cat wc sh grep ln; do cp ` + program + ` bin/$p; cp ` + program + ` $p; done`
	clean := newLocal(t)
	clean.sh(l.root, plant)
	clean.sh(l.state, plant)
	b := l.baseline()
	clean.sh(l.root, "echo a >new")
	patch, _ := l.diff(b)
	equal(t, "files", []string{"new"}, filesOf(patch))
	if exists(trace) {
		data, _ := os.ReadFile(trace)
		t.Errorf("it ran: %s", data)
	}
}
