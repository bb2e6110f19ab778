package gitbox

import (
	"context"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// fetchScript ends with the folder in place: its objects are taken from it next.
const fetchScript = `
if [ -n "$1" ]; then git --git-dir="$tmp" update-ref refs/have/1 "$1" || exit; fi
git --git-dir="$tmp" fetch --no-tags --no-write-fetch-head --update-shallow -- "$2" "+$3:refs/pulled"
`

// takeScript brings what was fetched into the workspace, and there it is merged.
const takeScript = `
GIT_ALLOW_PROTOCOL=file git fetch --quiet --no-tags --no-write-fetch-head --update-shallow -- "$1" "+refs/pulled:$2" || exit
rm -rf -- "$1"
case $3 in
rebase) exec git rebase "$2" ;;
*) exec git merge --ff-only "$2" ;;
esac
`

func (j *job) pull(ctx context.Context, args []string) (int, error) {
	how, words := "merge", []string(nil)
	for _, arg := range args {
		switch {
		case arg == "-r" || arg == "--rebase":
			how = "rebase"
		case arg == "--ff-only" || arg == "--":
		case strings.HasPrefix(arg, "-"):
			return 0, sandbox.Errorf(sandbox.Invalid, "pull knows no option %s: it knows --ff-only, which it does anyway, and --rebase", arg)
		default:
			words = append(words, arg)
		}
	}
	if len(words) > 2 || len(words) == 2 && strings.ContainsAny(words[1], ":+*") {
		return 0, sandbox.Errorf(sandbox.Invalid, "pull takes at most origin and a branch: pull origin BRANCH")
	}
	named := ""
	if len(words) > 0 {
		named = words[0]
	}
	if err := j.remote(named); err != nil {
		return 0, err
	}
	s, err := j.look(ctx, nil)
	if err != nil {
		return 0, err
	}
	from := s.upstream
	if len(words) == 2 {
		from = "refs/heads/" + strings.TrimPrefix(words[1], "refs/heads/")
	}
	if from == "" {
		from = s.branch
	}
	if from == "" {
		return 0, sandbox.Errorf(sandbox.Invalid, "pull: the work tree is on no branch; say which one is to be pulled: pull origin BRANCH")
	}
	into := "refs/remotes/origin/" + strings.TrimPrefix(from, "refs/heads/")
	if j.moved(s) {
		into = "refs/sandlot/pulled"
	}
	tmp := j.folder()
	defer j.clean(ctx, tmp)
	if code, err := j.alone(ctx, s, tmp, fetchScript, s.head, j.src.URL, from); err != nil || code != 0 {
		return code, err
	}
	settings := append(j.safe(), "safe.directory="+tmp)
	if !s.identity {
		settings = append(settings, identity()...)
	}
	return j.Run(ctx, Command{
		Argv: []string{"/bin/sh", "-c", takeScript, "sh", tmp, into, how}, Env: j.env(settings), Stdout: j.out.Stdout, Stderr: j.out.Stderr,
	})
}
