package gitsource

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// checkOut makes the git folder that the sandbox gets, in a folder of its own: it
// shares nothing with the mirror. Git checks each object on the way, so a damaged
// mirror is found out here.
func (j *job) checkOut(ctx context.Context, want Remote, at place, mirror string) (*Tree, error) {
	dir, done, err := j.cache.temp(ctx)
	if err != nil {
		return nil, err
	}
	t := &Tree{job: j, dir: filepath.Join(dir, "git"), done: done, Branch: at.branch}
	if err := t.fill(ctx, want, at, mirror); err != nil {
		_ = t.Close()
		return nil, err
	}
	return t, nil
}

func (t *Tree) fill(ctx context.Context, want Remote, at place, mirror string) error {
	j := t.job
	commit, err := j.commit(ctx, mirror, at)
	if err != nil {
		return err
	}
	t.Commit = commit
	if err := j.initialize(ctx, t.dir, len(at.object)); err != nil {
		return err
	}
	fetch := j.local(t.dir, append([]string{"fetch", "--quiet", "--no-write-fetch-head", "--no-tags"}, t.refspecs(want, at, mirror)...)...)
	fetch.access.protocol = "file"
	fetch.settings = []string{"pack.window=0"} // what the mirror has packed well is taken as it is
	if err := ours(j.git.run(ctx, fetch)); err != nil {
		return err
	}
	if err := t.setHead(ctx, at); err != nil {
		return err
	}
	if err := t.list(ctx); err != nil {
		return err
	}
	err = j.git.run(ctx, j.local(t.dir, "read-tree", commit))
	if said, failed := errors.AsType[*commandError](err); failed {
		return sandbox.Errorf(sandbox.Invalid, "check out %s: git refuses what is in it: %s", commit, said.said)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(t.dir, "config"), []byte(t.config(want, at)), 0o600)
}

// ours turns what git says of folders of ours into a damaged mirror.
func ours(err error) error {
	if _, failed := errors.AsType[*commandError](err); failed {
		return &brokenError{err}
	}
	return err
}

// commit is the commit that a place stands for: that of the tag, if it is one.
func (j *job) commit(ctx context.Context, mirror string, at place) (string, error) {
	out, err := j.git.output(ctx, j.local(mirror, "rev-parse", "--verify", "--quiet", "--end-of-options", at.object+"^{commit}"))
	if err == nil {
		return strings.TrimSpace(out), nil
	}
	kind, kindErr := j.git.output(ctx, j.local(mirror, "cat-file", "-t", at.object+"^{}"))
	if kind = strings.TrimSpace(kind); kindErr == nil && kind != "commit" {
		return "", sandbox.Errorf(sandbox.Invalid, "check out %s: it stands for a %s and not for a commit, so there is nothing to check out", at.name(), kind)
	}
	return "", ours(err)
}

func (at place) name() string {
	switch {
	case at.branch != "":
		return "branch " + quoted(at.branch)
	case at.tag != "":
		return "tag " + quoted(at.tag)
	}
	return at.object
}

// refspecs are what is copied from the mirror, and from where.
func (t *Tree) refspecs(want Remote, at place, mirror string) []string {
	var args []string
	if want.Depth > 0 {
		args = append(args, depthArg(want.Depth))
	}
	args = append(args, "--", mirror)
	switch {
	case want.Depth == 0:
		args = append(args, "+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*")
		if at.branch == "" {
			args = append(args, at.object)
		}
	case at.branch != "":
		args = append(args, "+"+at.object+":refs/remotes/origin/"+at.branch)
	case at.tag != "":
		args = append(args, "+"+at.object+":refs/tags/"+at.tag)
	default:
		args = append(args, at.object)
	}
	return args
}

// setHead puts the work tree on its branch, or on the commit alone.
func (t *Tree) setHead(ctx context.Context, at place) error {
	j := t.job
	if at.branch == "" {
		return ours(j.git.run(ctx, j.local(t.dir, "update-ref", "--no-deref", "HEAD", t.Commit)))
	}
	err := ours(j.git.run(ctx, j.local(t.dir, "symbolic-ref", "HEAD", "refs/heads/"+at.branch)))
	for _, ref := range []string{"refs/heads/" + at.branch, "refs/remotes/origin/" + at.branch} {
		if err == nil {
			err = ours(j.git.run(ctx, j.local(t.dir, "update-ref", ref, t.Commit)))
		}
	}
	return err
}

// config is the repository's own configuration, as git clone writes it.
func (t *Tree) config(want Remote, at place) string {
	var b strings.Builder
	version, extensions := 0, ""
	if len(t.Commit) == 64 {
		version, extensions = 1, "[extensions]\n\tobjectformat = sha256\n"
	}
	fmt.Fprintf(&b, "[core]\n\trepositoryformatversion = %d\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n%s", version, extensions)
	fmt.Fprintf(&b, "[remote \"origin\"]\n\turl = %s\n", configValue(want.URL))
	switch {
	case want.Depth == 0:
		b.WriteString("\tfetch = +refs/heads/*:refs/remotes/origin/*\n")
	case at.branch != "":
		fmt.Fprintf(&b, "\tfetch = %s\n", configValue("+refs/heads/"+at.branch+":refs/remotes/origin/"+at.branch))
	case at.tag != "":
		fmt.Fprintf(&b, "\tfetch = %s\n", configValue("+refs/tags/"+at.tag+":refs/tags/"+at.tag))
	}
	if at.branch != "" {
		fmt.Fprintf(&b, "[branch %s]\n\tremote = origin\n\tmerge = %s\n", configValue(at.branch), configValue("refs/heads/"+at.branch))
	}
	return b.String()
}

// configValue is a value, or a section's second name, as a configuration file has
// it.
func configValue(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
