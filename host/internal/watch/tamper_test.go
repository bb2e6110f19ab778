//go:build unix

package watch

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// loose makes files of all objects of the baseline, and exchange gives one the
// content of another.
const (
	loose    = `export GIT_DIR=$PWD; for p in objects/pack/*.pack; do mv $p p; rm -f objects/pack/*; git unpack-objects -q <p; done; `
	exchange = `file() { echo objects/$(echo $1 | cut -c1-2)/$(echo $1 | cut -c3-); }; chmod +w $(file $old); cp $(file $new) $(file $old); ! git cat-file -p $old | grep -qx 1`
)

// tamperings are what an agent may do to the folder of the baseline, which is
// the working directory. $canary is a program that must not run.
var tamperings = []struct {
	name, do string
	damaged  bool // nothing can be told, which is said; else the patch is right
}{
	{"configuration that runs programs", `for k in core.fsmonitor diff.external core.hooksPath core.pager gpg.program filter.x.clean filter.x.process diff.x.textconv core.sshCommand core.alternateRefsCommand; do git config -f config $k "$canary"; done
		git config -f config core.worktree /; git config -f config include.path "$PWD/more"; echo '* filter=x diff=x' >info/attributes; cp config "$root/.gitconfig"; printf '* filter=x diff=x\n' >"$root/.gitattributes"`, false},
	{"hooks", `mkdir hooks; for h in post-index-change pre-commit reference-transaction; do cp "$canary" hooks/$h; done`, false},
	{"a partial clone that asks for objects", `git config -f config extensions.partialClone x; git config -f config remote.x.promisor true; git config -f config remote.x.url "ext::$canary"; git config -f config protocol.ext.allow always`, false},
	{"an index that lies", `cp index old; GIT_DIR=$PWD GIT_WORK_TREE=$root git update-index --assume-unchanged kept; GIT_DIR=$PWD GIT_WORK_TREE=$root git update-index --skip-worktree kept; touch -r old index`, false},
	{"an index that is a link", `mv index "$root/../i"; ln -s "$root/../i" index`, false},
	{"an index that is a link to something else", `ln -sf /etc/passwd index`, false},
	{"an index that nobody writes to", `rm index; mkfifo index`, false},
	{"an index that is a folder", `rm index; mkdir index`, false},
	{"an index that is no index", `echo garbage >index`, false},
	{"an index of a terabyte", `rm index; truncate -s 1T index`, false},
	{"no index", `rm index`, false},
	{"locks", `touch index.lock config.lock HEAD.lock packed-refs.lock; touch objects/maintenance.lock`, false},
	{"rules that ignore all", `echo '*' >excludes`, false},
	{"rules that nobody writes to", `rm excludes; mkfifo excludes`, false},
	{"alternates elsewhere", `mkdir "$root/../evil"; echo "$root/../evil" >objects/info/alternates`, false},
	{"alternates without end", `echo "$PWD/objects" >objects/info/alternates`, false},
	{"objects that nobody needs, and are none", `mkdir -p objects/ab; echo x >objects/ab/cdef; echo x >objects/pack/pack-1.pack; echo x >objects/pack/pack-1.idx; echo x >objects/info/commit-graph; echo x >objects/pack/multi-pack-index`, false},
	{"no objects", `rm -rf objects`, true},
	{"no packs", `rm -rf objects/pack/*`, true},
	{"packs cut in half", `for p in objects/pack/*.pack; do chmod +w $p; truncate -s 40 $p; done`, true},
	{"packs of zeros", `for p in objects/pack/*.pack; do chmod +w $p; s=$(wc -c <$p); head -c $s /dev/zero >$p; done`, true},
	{"another content under the name of the old one", loose + `old=$(git hash-object "$root/kept.before"); new=$(echo 'blob of the agent' | git hash-object -w --stdin); ` + exchange, true},
	{"another tree under the name of the old one", loose + `old=$tree; new=$(git hash-object "$root/kept.before"); new=$(printf '100644 blob %s\tevil\n' $new | git mktree); ` + exchange, true},
	{"no folder", `rm -rf "$PWD"`, true},
	{"a link in its place", `mv "$PWD" "$root/../moved"; ln -s "$root/../moved" "$PWD"`, false},
	{"the folder of all diffs moved and linked", `d=${PWD%/*}; mv $d "$root/../all"; ln -s "$root/../all" $d`, false},
	{"the state folder emptied", `rm -rf "${PWD%/*}"`, true},
}

// TestAnAgentThatTampersWithTheBaselineFoolsNobody does each of them during a
// run. Whatever it was: nothing runs, the patch is right, or it is said that
// there is none.
func TestAnAgentThatTampersWithTheBaselineFoolsNobody(t *testing.T) {
	for _, c := range tamperings {
		t.Run(c.name, func(t *testing.T) {
			program, trace := canary(t)
			l := newLocal(t)
			l.root = filepath.Join(l.root, "root")
			l.sh("/", "mkdir "+l.root)
			l.sh(l.root, "mkdir d; echo 1 >kept; echo 2 >d/gone; cp kept kept.before; echo ignored >.gitignore")
			b := l.baseline()
			l.sh(l.root, "echo changed >kept; rm d/gone; echo new >new")
			l.sh(filepath.Join(l.state, "diffs", b.Folder), "root="+l.root+" canary="+program+" tree="+b.Tree+"\n"+c.do)
			var patch recorder
			w := l.workspace()
			_, err := w.Diff(t.Context(), b, &patch)
			switch {
			case exists(trace):
				t.Error("a program of the agent ran")
			case c.damaged && !errors.Is(err, ErrDamaged):
				t.Errorf("got %v and %q, want it said that the baseline is damaged", err, patch.String())
			case !c.damaged && err != nil:
				t.Error(err)
			case !c.damaged:
				files := map[string]bool{}
				for _, f := range filesOf(patch.String()) {
					files[f] = true
				}
				if !files["kept"] || !files["d/gone"] || !files["new"] {
					t.Errorf("the patch tells of %v alone", files)
				}
			}
			if err := w.Forget(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestABaselineThatNeverAnswersEndsInTime has git wait for an object that is a
// pipe.
func TestABaselineThatNeverAnswersEndsInTime(t *testing.T) {
	l := newLocal(t)
	l.sh(l.root, "echo 1 >f")
	b := l.baseline()
	l.sh(filepath.Join(l.state, "diffs", b.Folder), `for p in objects/pack/*.idx; do rm -f $p; mkfifo $p; done`)
	w := l.workspace()
	w.Limits.Time = time.Second
	_, err := w.Diff(t.Context(), b, &recorder{})
	if !errors.Is(err, sandbox.TimedOut) && !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v", err)
	}
}
