//go:build unix

package watch

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// courses are what an agent does to a workspace. Both scripts run in it.
var courses = []struct{ name, before, agent string }{
	{"a new file", `:`, `echo a >new`},
	{"a file in a new folder", `:`, `mkdir -p a/b/c; echo a >a/b/c/new`},
	{"a changed file", `seq 100 >f`, `sed -i 's/^50$/fifty/' f`},
	{"a removed file", `echo a >f; echo b >g`, `rm f`},
	{"every file removed", `mkdir d; echo a >d/f`, `rm -r d`},
	{"a renamed file", `seq 100 >f`, `mkdir d; mv f d/g`},
	{"a renamed and changed file", `seq 100 >f`, `mv f g; echo more >>g`},
	{"files that change places", `seq 100 >f; seq 200 300 >g`, `mv f h; mv g f; mv h g`},
	{"a new empty file", `:`, `: >empty`},
	{"a removed empty file", `: >empty`, `rm empty`},
	{"a file that becomes empty", `echo a >f`, `: >f`},
	{"a program", `echo a >f`, `chmod +x f; printf '#!/bin/sh\n' >run; chmod +x run`},
	{"a program no more", `echo a >f; chmod +x f`, `chmod -x f`},
	{"a link", `echo a >f`, `ln -s f l; ln -s /nowhere/at/all m; ln -s . loop`},
	{"a link elsewhere", `ln -s a l`, `ln -sfn b l`},
	{"a file that becomes a link", `echo a >f`, `rm f; ln -s g f`},
	{"a link that becomes a file", `ln -s g f`, `rm f; echo a >f`},
	{"a folder that becomes a file", `mkdir d; echo a >d/f`, `rm -r d; echo a >d`},
	{"a file that becomes a folder", `echo a >d`, `rm d; mkdir d; echo a >d/f`},
	{"a new binary file", `:`, `printf 'a\000\377b' >bin`},
	{"a changed binary file", `head -c 20000 /dev/zero | tr '\000' '\001' >bin; printf '\000' >>bin`, `printf '\000more' >>bin`},
	{"a binary file that becomes text", `printf 'a\000b' >f`, `echo text >f`},
	{"a removed binary file", `printf 'a\000b' >f`, `rm f`},
	{"text without a newline at the end", `printf 'a\nb' >f; printf 'a\n' >g`, `printf 'a\nc' >f; printf 'a' >g; printf x >h`},
	{"text that isn't UTF-8", `printf 'gr\374n\n' >f`, `printf 'gr\374ner 100%%\n' >f; printf '\377\376x\n' >g`},
	{"ends of line of all kinds", `printf 'a\r\nb\nc\r' >f`, `printf 'a\nb\r\nc\r\r\n' >f`},
	{"tabs, spaces and control characters", `printf 'a \t\n' >f`, `printf '\t \001\033[31m \n\n\n' >f`},
	{
		"names with newline, tab, quote and backslash", `:`,
		`n=$(printf 'a\nb\tc'); echo a >"$n"; echo b >'q"u\o'"'"'te'; mkdir 'd
e'; echo c >'d
e/f'`,
	},
	{"names that aren't UTF-8", `n=$(printf 'x\377'); echo a >"$n"`, `n=$(printf 'x\377'); echo b >>"$n"; n=$(printf '\303\050'); echo c >"$n"`},
	{
		"names that look like options, patterns and pathspecs", `echo a >./-rf; echo a >'*'; echo a >kept`,
		`echo b >>./-rf; echo b >>'*'; rm kept; echo c >':(exclude)*'; echo c >':!x'; echo d >'[a]'; echo e >'\*'; echo f >' '; echo g >'#h'; echo h >'!i'`,
	},
	{"a name of 255 bytes", `:`, `echo a >$(printf 'x%.0s' $(seq 255))`},
	{"names like git's own", `:`, `mkdir .gitt; echo b >.gitt/f; echo c >.gitmodules; echo d >git; echo e >x.git`},
	{
		"attributes that would change bytes", `printf '* text=auto eol=crlf ident\n*.u working-tree-encoding=UTF-16 diff=x filter=y\n' >.gitattributes; printf 'a\n$Id$\n' >f`,
		`printf 'b\r\n$Id: x$\n' >>f; printf 'text\n' >g.u; printf 'a\000' >h; echo '*.v text' >>.gitattributes; printf 'x\r\n' >i.v`,
	},
	{"attributes that hide", `echo '* binary' >.gitattributes; echo a >f`, `echo b >>f; mkdir d; echo '* -diff -text export-ignore export-subst' >d/.gitattributes; echo '$Format:%H$' >d/f`},
	{"a workspace that was empty", `:`, `for i in 1 2 3; do mkdir d$i; echo $i >d$i/f; done`},
	{"a git repository, untracked files too", `git init -q; echo a >f; git add f; git commit -qm a; echo u >untracked`, `echo b >>f; echo v >>untracked; echo n >new`},
	{"a git repository in which the agent commits", `git init -q; echo a >f; git add f; git commit -qm a`, `echo b >>f; git add f; git commit -qm b; git checkout -qb c; echo d >>f; git commit -qam d; git gc -q`},
	{"a git repository with packs, that the agent throws away", `git init -q; seq 1000 >f; git add f; git commit -qm a; git gc -q`, `rm -rf .git; sed -i 5d f; git init -q`},
	{"files that the agent makes a repository of", `echo a >f`, `git init -q; git add f; git commit -qm a; echo b >>f`},
}

// TestThePatchReproducesWhatTheAgentDid applies each patch to a copy of what the
// agent began with.
func TestThePatchReproducesWhatTheAgentDid(t *testing.T) {
	for _, c := range courses {
		t.Run(c.name, func(t *testing.T) {
			l := newLocal(t)
			l.sh(l.root, c.before)
			other := filepath.Join(t.TempDir(), "copy")
			l.sh("/", "cp -a "+l.root+" "+other)
			b := l.baseline()
			l.sh(l.root, c.agent)
			patch, changes := l.diff(b)
			if changes.Files == 0 || changes.Errors != "" || changes.Nested != nil || changes.Large != nil {
				t.Errorf("got %+v", changes)
			}
			l.apply(other, patch)
			same(t, l.root, other)
		})
	}
}

// TestEveryShellDoes has a little of everything done under each shell that a
// sandbox may have.
func TestEveryShellDoes(t *testing.T) {
	for _, shell := range [][]string{{"dash"}, {"bash", "--posix"}, {"bash"}, {"busybox", "sh"}} {
		t.Run(filepath.Join(shell...), func(t *testing.T) {
			l := newLocal(t)
			l.shell = shell
			l.sh(l.root, `git init -q; seq 100 >f; git add f; git commit -qm a; git gc -q; mkdir 'n
m'; git init -q 'n
m'; echo a >'n
m/f'`)
			other := filepath.Join(t.TempDir(), "clone")
			l.sh("/", "git clone -q "+l.root+" "+other)
			b := l.baseline()
			l.sh(l.root, `mv f g; echo a >>g; printf 'a\000' >bin; echo x >>'n
m/f'; mkdir new; git init -q new`)
			patch, changes := l.diff(b)
			if len(changes.Nested) != 1 || changes.Nested[0] != "new" {
				t.Errorf("new repositories: %q", changes.Nested)
			}
			l.apply(other, patch)
			l.sh(l.root, "rm -r n*")
			same(t, l.root, other)
			if left, _ := os.ReadDir(filepath.Join(l.state, "diffs")); len(left) != 1 {
				t.Errorf("%d folders are left, want the baseline's alone", len(left))
			}
			l.sh(l.state, "mkdir diffs/r-x-123456789012") // of the run r-x
			if err := l.workspace().Forget(t.Context()); err != nil {
				t.Fatal(err)
			}
			equal(t, "folders", "r-x-123456789012\n", l.sh(l.state, "ls diffs"))
		})
	}
}

func TestNothingChangedIsNoPatch(t *testing.T) {
	for name, before := range map[string]string{"an empty workspace": ":", "a full one": "echo a >f; ln -s f l"} {
		t.Run(name, func(t *testing.T) {
			l := newLocal(t)
			l.sh(l.root, before)
			b := l.baseline()
			l.sh(l.root, "touch f; rm -f g")
			if before == ":" {
				l.sh(l.root, "rm f; mkdir empty")
			}
			if patch, changes := l.diff(b); patch != "" || changes.Files != 0 {
				t.Errorf("got %+v, %q", changes, patch)
			}
		})
	}
}

func TestWhatIsLeftOut(t *testing.T) {
	cases := []struct {
		name, before, agent string
		want                []string // files in the patch
		nested              []string
	}{
		{"ignored files", `printf '*.log\nout/\n' >.gitignore; mkdir out; echo a >out/f`, `echo a >x.log; echo b >>out/f; mkdir d; echo secret >d/y.log; echo c >shown`, []string{"shown"}, nil},
		{"what the agent has ignored itself", `:`, `echo '*.log' >.gitignore; echo a >x.log`, []string{".gitignore"}, nil},
		{"not what the repository tracks though it is ignored", `git init -q; echo '*.log' >.gitignore; echo a >x.log; git add -f .; git commit -qm a`, `echo b >>x.log; echo b >y.log`, []string{"x.log"}, nil},
		{"what the repository's own exclude file names", `git init -q; echo AGENTS.md >.git/info/exclude; echo a >AGENTS.md`, `echo b >>AGENTS.md; echo c >d`, []string{"d"}, nil},
		{"not what the agent names there", `git init -q; : >.git/info/exclude`, `echo evil >.git/info/exclude; echo a >evil`, []string{"evil"}, nil},
		{"a nested repository that was there", `git init -q sub; echo a >sub/f; echo a >g`, `echo b >>sub/f; echo b >>g`, []string{"g"}, nil},
		{"and one that the agent makes", `mkdir src; echo a >src/f`, `git init -q src; echo b >>src/f; git init -q new; echo c >c`, []string{"c"}, []string{"new", "src"}},
		{"a nested repository that is ignored", `git init -q v/sub; printf 'v/\nw\n' >.gitignore; git init -q w; echo a >g`, `echo b >>v/sub/f; echo b >>w/f; echo b >>g`, []string{"g"}, nil},
		{"a folder with a file called .git", `mkdir sub; echo 'gitdir: /nowhere' >sub/.git; echo a >sub/f`, `echo b >>sub/f; echo c >c`, []string{"c"}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l := newLocal(t)
			l.sh(l.root, c.before)
			b := l.baseline()
			l.sh(l.root, c.agent)
			patch, changes := l.diff(b)
			want, got := map[string]bool{}, map[string]bool{}
			for _, f := range c.want {
				want[f] = true
			}
			for _, f := range filesOf(patch) {
				got[f] = true
			}
			equal(t, "files", want, got)
			equal(t, "new repositories", sorted(c.nested), sorted(changes.Nested))
			equal(t, "git's complaints", "", changes.Errors)
		})
	}
}

func TestAStateFolderInsideTheWorkspaceIsLeftOut(t *testing.T) {
	l := newLocal(t)
	l.state = filepath.Join(l.root, ".sandlot")
	l.sh(l.root, "mkdir .sandlot; echo a >.sandlot/journal")
	b := l.baseline()
	l.sh(l.root, "echo b >>.sandlot/journal; echo c >c")
	patch, _ := l.diff(b)
	equal(t, "files", []string{"c"}, filesOf(patch))
}

func TestFilesOverTheLimitAreNamed(t *testing.T) {
	l := newLocal(t)
	w := l.workspace()
	w.Limits.File = 64 << 10
	l.sh(l.root, "head -c 100000 /dev/zero >old; echo a >grows")
	b, err := w.TakeBaseline(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l.sh(l.root, "head -c 100000 /dev/zero >>grows; head -c 100000 /dev/zero >'n\nm'; head -c 60000 /dev/zero >fits")
	var patch recorder
	changes, err := w.Diff(t.Context(), b, &patch)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "large files", []string{"grows", "n\nm", "old"}, sorted(changes.Large))
	equal(t, "files", []string{"fits"}, filesOf(patch.String()))
}

func TestAFileThatGitCannotTakeIsToldOf(t *testing.T) {
	l := newLocal(t)
	b := l.baseline()
	l.sh(l.root, "mkdir .GIT git~1; echo a >.GIT/f; echo a >git~1/f; echo b >b") // names that git apply refuses too
	patch, changes := l.diff(b)
	if changes.Errors == "" {
		t.Error("nothing is said")
	}
	equal(t, "files", []string{"b"}, filesOf(patch))
}

func TestAFolderThatGitCannotOpenIsToldOf(t *testing.T) {
	l := newLocal(t)
	b := l.baseline()
	// Longer than a path may be. No shell can go there, but folders can be moved.
	l.sh(l.root, `echo b >b; d=$(printf 'd%.0s' $(seq 250)); p=$d/$d/$d/$d/$d/$d/$d/$d/$d
mkdir -p "$p" "e/$p"; echo a >"e/$p/f"; mv e "$p"`)
	patch, changes := l.diff(b)
	if !strings.Contains(changes.Errors, "could not open directory") {
		t.Errorf("git's complaints: %q", changes.Errors)
	}
	equal(t, "files", []string{"b"}, filesOf(patch))
}

// rivalled is a sandbox in which a command of the same id runs until it is
// killed.
type rivalled struct {
	*local
	running map[string]bool
}

func (r *rivalled) Start(ctx context.Context, c sandbox.Command) (sandbox.Process, error) {
	if r.running[c.ID] {
		return nil, sandbox.Errorf(sandbox.Conflict, "a process with the id %s is running", c.ID)
	}
	return r.local.Start(ctx, c)
}

func (r *rivalled) Kill(_ context.Context, id string, _ time.Duration) error {
	delete(r.running, id)
	return nil
}

func TestWhatADeadPluginLeftRunningIsEndedFirst(t *testing.T) {
	l := newLocal(t)
	w := l.workspace()
	w.Sandbox = &rivalled{l, map[string]bool{"baseline-r": true, "diff-r": true, "forget-r": true}}
	b, err := w.TakeBaseline(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l.sh(l.root, "echo a >f")
	var patch recorder
	if _, err := w.Diff(t.Context(), b, &patch); err != nil {
		t.Error(err)
	}
	equal(t, "files", []string{"f"}, filesOf(patch.String()))
	if err := w.Forget(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAFileThatGitCannotTakeIsToldOfBesideIgnoredOnes(t *testing.T) {
	l := newLocal(t)
	l.sh(l.root, "echo v >.gitignore; git init -q v")
	b := l.baseline()
	l.sh(l.root, "mkdir .GIT; echo a >.GIT/f; echo b >b")
	patch, changes := l.diff(b)
	if !strings.Contains(changes.Errors, ".GIT/f") || strings.Contains(changes.Errors, "ignored") {
		t.Errorf("git's complaints: %q", changes.Errors)
	}
	equal(t, "files", []string{"b"}, filesOf(patch))
}
