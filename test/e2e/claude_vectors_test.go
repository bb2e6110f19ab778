//go:build linux

package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// chained is a program that says that it was run, by whom, and whether one of them
// has the source's token, up to sandlot itself: $0 is the name of the way by which
// it was found.
const chained = `#!/bin/bash
chain= pid=$$ ours= asked=("$@")
while [ "$pid" -gt 1 ] && read -r stat <"/proc/$pid/stat"; do
  mapfile -d '' -t argv <"/proc/$pid/cmdline"
  chain="$chain <- ${argv[*]:0:3}"
  case ${argv[0]##*/} in sandlot*) ours=1 ;; esac
  mapfile -d '' -t env <"/proc/$pid/environ"
  case $ours${env[*]} in *` + sourceToken + `*) [ "$ours" ] || chain="$chain (with the token)" ;; esac
  stat=${stat##*) }; set -- $stat; pid=$2
done 2>/dev/null
echo "$chain" >"%s/${0##*/}.$$"
case ${0##*/} in pack) exec "${asked[@]}" ;; reference-transaction) exit ;; esac # without these nothing is pulled
exit 1
`

// planting is what the agent does: all settings by which git starts a program, or
// reaches another server, links that lead out, and another home's configuration. $1
// has the canaries, $2 is a folder that isn't the agent's, $3 is the server of the
// source and $4 another one.
const planting = `set -e; server=$3 evil=$4; env >"$HOME/env"
git config user.name a; git config user.email a@b
seq 9 >changed; echo a >fired; git add .; git commit -qm a
mkdir h; for hook in pre-commit post-index-change post-checkout reference-transaction pre-push post-rewrite pre-auto-gc fsmonitor-watchman pre-applypatch; do
  ln -s "$1/hooksPath" h/$hook; ln -sf "$1/hook" .git/hooks/$hook; done
plant() { git config -f "$1" core.fsmonitor "$2/fsmonitor"; git config -f "$1" diff.external "$2/external"
  for k in clean smudge process; do git config -f "$1" filter.x.$k "$2/$k"; done
  git config -f "$1" diff.x.textconv "$2/textconv"; git config -f "$1" diff.x.command "$2/command"; git config -f "$1" merge.x.driver "$2/driver"
  git config -f "$1" core.sshCommand "$2/sshCommand"; git config -f "$1" credential.helper "!$2/credential"; git config -f "$1" alias.x "!$2/alias"
  git config -f "$1" core.pager "$2/pager"; git config -f "$1" core.editor "$2/editor"; git config -f "$1" core.askPass "$2/askPass"
  git config -f "$1" gpg.program "$2/gpg"; git config -f "$1" commit.gpgSign true; git config -f "$1" core.alternateRefsCommand "$2/refs"
  git config -f "$1" uploadpack.packObjectsHook "$2/pack"; git config -f "$1" http.sslVerify false
  git config -f "$1" "url.$evil/.insteadOf" "$server/"; git config -f "$1" "url.$evil/.pushInsteadOf" "$server/"; }
plant "$HOME/.gitconfig" "$1"
echo '* filter=x diff=x merge=x' >.gitattributes; mkdir -p "$HOME/.config/git"; cp .gitattributes "$HOME/.config/git/attributes"
plant evil "$1"; git config include.path ../evil; git config core.hooksPath "$PWD/h"; plant .git/config "$1"
ln -s "$2" out; ln -s "$2/file" link; ln -s / top; echo b >>changed; echo b >>fired; echo n >new
`

// vectors are ways in which a program of the agent's could be started by whoever
// uses its files, with how the agent changes what planting has left.
var vectors = []struct {
	name, more string
	own        bool // the workspace still has the repository that it was made of
}{
	{"a repository", "", true},
	{"a file in place of .git", `mv .git "$2/../moved"; echo "gitdir: $2/../moved" >.git`, false},
	{"a link in place of .git", `mv .git "$2/../moved"; ln -s "$2/../moved" .git`, false},
	{"a repository in one", `mkdir -p sub; cp -r .git sub/.git; git -C sub config core.worktree ../..`, true},
}

// TestWhatClaudePlantsStartsNothing has the real CLI plant them and then uses the
// sandbox in every way that there is. That they would start something is shown
// with a plain git.
func TestWhatClaudePlantsStartsNothing(t *testing.T) {
	t.Parallel()
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			p := newPlanted(t, v.more)
			p.run("run", "--thread", "t", "--run-id", "one", "Plant").want(t, 0)
			p.provable()
			p.quiet("the run that plants them, with its diff")
			p.run("run", "--thread", "t", "--run-id", "two", "Go on").want(t, 0)
			p.quiet("a second run, which resumes the sandbox")
			for _, run := range []string{"one", "two"} {
				if patch := p.run("diff", run).want(t, 0).stdout; strings.Contains(patch, "outside's own") {
					t.Errorf("the diff of %s shows a file of outside:\n%s", run, clip(patch))
				}
			}
			p.run("ps").want(t, 0)
			p.quiet("diff and ps")
			p.copies()
			p.quiet("cp")
			p.exchanges(v.own)
			p.tokenless()
			p.run("destroy", "claude").want(t, 0)
			p.quiet("destroy")
			p.untouched()
		})
	}
}

type planted struct {
	*claude
	*sourced
	marks, canaries, outside string
	before                   map[string]string // what outside holds
	seen                     map[string]bool   // marks that were told of
}

// ways are the names of the canaries.
var ways = []string{
	"fsmonitor", "external", "clean", "smudge", "process", "textconv", "command", "driver", "sshCommand", "credential", "alias", "pager",
	"editor", "askPass", "gpg", "refs", "pack", "hook", "hooksPath",
}

func newPlanted(t *testing.T, more string) *planted {
	t.Helper()
	top := t.TempDir()
	p := &planted{marks: filepath.Join(top, "marks"), canaries: filepath.Join(top, "canaries"), outside: filepath.Join(top, "outside"), seen: map[string]bool{}}
	for _, dir := range []string{p.marks, p.canaries, p.outside} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, way := range ways {
		if err := os.WriteFile(filepath.Join(p.canaries, way), fmt.Appendf(nil, chained, p.marks), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"file": "outside's own\n", "other": "outside's own, too\n"} {
		if err := os.WriteFile(filepath.Join(p.outside, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.sourced = newSourced(t)
	script := fmt.Sprintf("set -- '%s' '%s' '%s' '%s'\n", p.canaries, p.outside, p.server.URL, p.evil.URL) + planting + more
	p.claude = newClaude(t, modelserver.Script{bash(script), modelserver.Say("planted"), bash("echo more >>new"), modelserver.Say("over")}).free()
	p.use(p.claude)
	for i, v := range p.env {
		if strings.HasPrefix(v, "PATH=") {
			p.env[i] = v + ":/usr/bin:/bin"
		}
	}
	p.before = p.holds()
	return p
}

// holds is what outside holds.
func (p *planted) holds() map[string]string {
	all := map[string]string{}
	list, err := os.ReadDir(p.outside)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, e := range list {
		data, err := os.ReadFile(filepath.Join(p.outside, e.Name()))
		if err != nil {
			p.t.Fatal(err)
		}
		all[e.Name()] = string(data)
	}
	return all
}

// untouched fails the test if outside holds something else than at the start.
func (p *planted) untouched() {
	p.t.Helper()
	if diff := cmp.Diff(p.before, p.holds()); diff != "" {
		p.t.Errorf("the folder outside (-before +after):\n%s", diff)
	}
}

// fired are the canaries that have run since the last call, but for those that the
// agent's own processes ran.
func (p *planted) fired() map[string]string {
	p.t.Helper()
	list, err := os.ReadDir(p.marks)
	if err != nil {
		p.t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range list {
		chain, err := os.ReadFile(filepath.Join(p.marks, e.Name()))
		if err != nil {
			p.t.Fatal(err)
		}
		if !p.seen[e.Name()] && !strings.Contains(string(chain), "claude -p ") {
			way, _, _ := strings.Cut(e.Name(), ".")
			all[way] = string(chain)
		}
		p.seen[e.Name()] = true
	}
	return all
}

// quiet fails the test if a canary was run by anybody but the agent.
func (p *planted) quiet(during string) {
	p.t.Helper()
	for way, chain := range p.fired() {
		p.t.Errorf("%s ran during %s: %s", way, during, chain)
	}
}

// provable shows with a plain git on a copy of the workspace that the canaries
// would run.
func (p *planted) provable() {
	p.t.Helper()
	p.quiet("the run that plants them")
	dir := filepath.Join(p.t.TempDir(), "copy")
	p.tool("/", "", "sh", "-c", `cp -a "$1" "$2"; cp -a "$3" "$2-home"; cd "$2"; export HOME="$2-home" GIT_TERMINAL_PROMPT=0; unset GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM
		git="$(git -c core.fsmonitor= rev-parse --absolute-git-dir)"; cp -aL "$git" "$2-git"; rm -rf .git; mv "$2-git" .git
		git status; git add -A; git x; git ls-remote ssh://nowhere/x; git ls-remote origin; echo url=http://nowhere | git credential fill
		for file in .git/config evil "$HOME/.gitconfig"; do git config -f $file --unset-all filter.x.process; done
		git add -A; git diff --cached; git commit -m x; git -c core.hooksPath=/ commit -m x
		: >.gitattributes; rm -rf "$HOME/.config"; git diff HEAD; exit 0`, "sh", p.root(), dir, p.agentHome())
	got := slices.Sorted(maps.Keys(p.fired()))
	for _, way := range []string{"fsmonitor", "external", "command", "clean", "process", "pre-commit", "gpg", "alias", "sshCommand", "credential"} {
		if !slices.Contains(got, way) {
			p.t.Errorf("nothing is proved of %s: a plain git ran only %q", way, got)
		}
	}
	if len(p.evil.Requests()) == 0 {
		p.t.Error("nothing is proved of insteadOf: a plain git didn't reach the other server")
	}
}

// agentHome is the home of the agent, which has none of its own here.
func (p *planted) agentHome() string {
	for _, v := range p.env {
		if home, ok := strings.CutPrefix(v, "HOME="); ok {
			return home
		}
	}
	p.t.Fatal("the agent has no home")
	return ""
}

// copies takes files out and in, also where a link of the agent's leads out.
func (p *planted) copies() {
	p.t.Helper()
	to, from := filepath.Join(p.t.TempDir(), "to"), filepath.Join(p.t.TempDir(), "from")
	if err := os.WriteFile(from, []byte("from"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.run("cp", "claude:.", to).want(p.t, 0)
	if target, err := os.Readlink(filepath.Join(to, "out")); err != nil || target != p.outside {
		p.t.Errorf("the copy of a link leads to %q, %v", target, err)
	}
	p.run("cp", from, "claude:in").want(p.t, 0)
	for _, target := range []string{"out/new", "link", "out"} {
		p.run("cp", from, "claude:"+target)
		p.untouched()
	}
	p.run("cp", to+"/.", "claude:out")
	p.untouched()
}
