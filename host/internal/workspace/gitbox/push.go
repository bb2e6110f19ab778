package gitbox

import (
	"context"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

const pushScript = `
trap 'rm -rf -- "$tmp"' EXIT
git --git-dir="$tmp" push "$@"
`

// pushing is what a push was asked to do.
type pushing struct {
	force, lease, upstream, dry bool
	remote                      string
	specs                       []spec
}

// spec is SRC:DST, as git writes it.
type spec struct {
	force    bool
	src, dst string // dst may be empty: as src; src empty: delete dst
}

// update is a ref of the repository and what becomes of it.
type update struct {
	spec
	object string // empty: it is deleted
	full   string // refs/heads/...
	was    string // as the sandbox knows it; empty: it doesn't
}

func parsePush(args []string) (*pushing, error) {
	p := &pushing{}
	var words []string
	remove := false
	for _, arg := range args {
		switch arg {
		case "-f", "--force":
			p.force = true
		case "--force-with-lease":
			p.lease = true
		case "-u", "--set-upstream":
			p.upstream = true
		case "-n", "--dry-run":
			p.dry = true
		case "-d", "--delete":
			remove = true
		case "--":
		default:
			if strings.HasPrefix(arg, "-") {
				return nil, sandbox.Errorf(sandbox.Invalid, "push knows no option %s: it knows -u, -f, --force-with-lease, -d and -n", arg)
			}
			words = append(words, arg)
		}
	}
	if len(words) > 0 {
		p.remote, words = words[0], words[1:]
	}
	for _, word := range words {
		s := spec{}
		word, s.force = strings.CutPrefix(word, "+")
		s.src, s.dst, _ = strings.Cut(word, ":")
		if remove {
			s.src, s.dst = "", word
		}
		if s.src == "" && s.dst == "" || strings.HasPrefix(s.src, "-") || strings.Contains(word, "*") {
			return nil, sandbox.Errorf(sandbox.Invalid, "push takes branches and tags, each NAME or NAME:REMOTE-NAME; this is %q", word)
		}
		p.specs = append(p.specs, s)
	}
	if remove && len(p.specs) == 0 {
		return nil, sandbox.Errorf(sandbox.Invalid, "push -d takes what is to be deleted: push -d origin NAME")
	}
	return p, nil
}

func (j *job) push(ctx context.Context, args []string) (int, error) {
	p, err := parsePush(args)
	if err != nil {
		return 0, err
	}
	if err := j.remote(p.remote); err != nil {
		return 0, err
	}
	if len(p.specs) == 0 {
		p.specs = []spec{{src: "HEAD"}}
	}
	s, all, err := j.updates(ctx, p)
	if err != nil {
		return 0, err
	}
	var line []string
	if p.dry {
		line = append(line, "--dry-run")
	}
	for _, u := range all {
		if p.lease {
			line = append(line, "--force-with-lease="+u.full+":"+u.was)
		}
	}
	line = append(line, "--", j.src.URL)
	for _, u := range all {
		force := ""
		if p.force || u.force {
			force = "+"
		}
		line = append(line, force+u.object+":"+u.full)
	}
	elsewhere := j.moved(s)
	code, err := j.alone(ctx, s, j.folder(), pushScript, line...)
	if err != nil || code != 0 || elsewhere || p.dry {
		return code, err
	}
	return 0, j.note(ctx, s, p, all)
}

// updates finds out what the names of a push stand for.
func (j *job) updates(ctx context.Context, p *pushing) (*seen, []update, error) {
	var names []string
	for _, s := range p.specs {
		names = append(names, s.src, "refs/remotes/origin/"+strings.TrimPrefix(s.dst, "refs/heads/"))
	}
	found, err := j.look(ctx, names)
	if err != nil {
		return nil, nil, err
	}
	var all []update
	for i, s := range p.specs {
		at, was := found.refs[2*i], found.refs[2*i+1]
		u := update{spec: s, object: at.object, full: s.dst, was: was.object}
		name := at.name
		if s.src == "HEAD" {
			name = found.branch
		}
		switch {
		case s.src != "" && at.object == "" && found.head == "":
			return nil, nil, sandbox.Errorf(sandbox.NotFound, "push: the repository in the sandbox has no commit yet")
		case s.src != "" && at.object == "":
			return nil, nil, sandbox.Errorf(sandbox.NotFound, "push: the repository in the sandbox has no branch, tag or commit %q", s.src)
		case s.dst == "" && !strings.HasPrefix(name, "refs/heads/") && !strings.HasPrefix(name, "refs/tags/"):
			return nil, nil, sandbox.Errorf(sandbox.Invalid, "push: %s is no branch in the sandbox; say what it is to be called: push origin %s:NAME", s.src, s.src)
		case s.dst == "":
			u.full = name
		case !strings.HasPrefix(s.dst, "refs/") && strings.HasPrefix(name, "refs/tags/"):
			u.full = "refs/tags/" + s.dst
		case !strings.HasPrefix(s.dst, "refs/"):
			u.full = "refs/heads/" + s.dst
		}
		all = append(all, u)
	}
	if p.lease && slices.ContainsFunc(p.specs, func(s spec) bool { return s.dst == "" }) {
		return j.leases(ctx, found, all)
	}
	return found, all, nil
}

// leases looks again for what the sandbox knows of refs whose names are known by
// now.
func (j *job) leases(ctx context.Context, found *seen, all []update) (*seen, []update, error) {
	var names []string
	for _, u := range all {
		names = append(names, "refs/remotes/origin/"+strings.TrimPrefix(u.full, "refs/heads/"))
	}
	again, err := j.look(ctx, names)
	if err != nil {
		return nil, nil, err
	}
	for i := range all {
		all[i].was = again.refs[i].object
	}
	return found, all, nil
}

const noteScript = `
while [ $# -ge 2 ]; do
	if [ -n "$2" ]; then git update-ref -- "refs/remotes/origin/$1" "$2"; else git update-ref -d -- "refs/remotes/origin/$1"; fi || exit
	shift 2
done
`

const upstreamScript = `
git config "branch.$1.remote" origin && git config "branch.$1.merge" "refs/heads/$2" || exit
# A clone of one branch doesn't know others.
git rev-parse --verify --quiet "$1@{upstream}" >/dev/null 2>&1 ||
	git config --add remote.origin.fetch "+refs/heads/$2:refs/remotes/origin/$2"
`

// note tells the workspace what the repository has by now, as git push does.
func (j *job) note(ctx context.Context, s *seen, p *pushing, all []update) error {
	var pairs []string
	for _, u := range all {
		if name, ok := strings.CutPrefix(u.full, "refs/heads/"); ok {
			pairs = append(pairs, name, u.object)
		}
	}
	scripts := [][]string{append([]string{noteScript}, pairs...)}
	for _, u := range all {
		local, name := strings.TrimPrefix(s.branch, "refs/heads/"), strings.TrimPrefix(u.full, "refs/heads/")
		if u.src != "HEAD" {
			local = u.src
		}
		if p.upstream && u.object != "" && local != "" {
			scripts = append(scripts, []string{upstreamScript, local, name})
		}
	}
	for _, script := range scripts {
		code, err := j.Run(ctx, Command{
			Argv: append([]string{"/bin/sh", "-c", script[0], "sh"}, script[1:]...), Env: j.env(j.ours()), Stdout: j.out.Stderr, Stderr: j.out.Stderr,
		})
		if err != nil {
			return err
		}
		if code != 0 {
			return sandbox.Errorf(sandbox.Unavailable, "note in the sandbox what was pushed: ended with %d", code)
		}
	}
	return nil
}
