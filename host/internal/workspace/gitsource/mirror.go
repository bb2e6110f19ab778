package gitsource

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// prepare brings a place into the repository's mirror and makes of it the git
// folder that the sandbox gets. The mirror is locked meanwhile; whoever waits for
// it finds what it needs there.
func (j *job) prepare(ctx context.Context, r remote, want Remote, at place) (*Tree, error) {
	depth := want.Depth
	if _, err := os.Stat(j.cache.mirror(want.URL, 0)); err == nil {
		depth = 0 // the whole is there, and takes less to bring up to date
	}
	for {
		tree, err := j.fromMirror(ctx, r, want, at, depth)
		if depth == 0 || !errors.Is(err, errNeedsWhole) {
			return tree, err
		}
		depth = 0
	}
}

// errNeedsWhole says that a server can't give a part of the history, or not that
// one.
var errNeedsWhole = errors.New("the repository doesn't give this without the whole of its history")

func (j *job) fromMirror(ctx context.Context, r remote, want Remote, at place, depth int) (*Tree, error) {
	dir := j.cache.mirror(want.URL, depth)
	unlock, err := j.cache.lock(ctx, dir, func() { j.tell("waiting for another fetch of %s", want.URL) })
	if err != nil {
		return nil, err
	}
	defer unlock()
	for again := false; ; again = true {
		tree, err := j.useMirror(ctx, r, want, at, dir, depth)
		broken, ok := errors.AsType[*brokenError](err)
		switch {
		case !ok || ctx.Err() != nil:
			return tree, err
		case again:
			return nil, broken.cause
		}
		j.tell("the copy kept of %s is damaged (%s): fetching it anew", want.URL, firstLine(broken.cause.Error()))
		discard(dir)
	}
}

// brokenError says that a mirror can't be used as it is.
type brokenError struct{ cause error }

func (e *brokenError) Error() string {
	return "use the copy kept of the repository: " + e.cause.Error()
}

func (e *brokenError) Unwrap() error { return e.cause }

func (j *job) useMirror(ctx context.Context, r remote, want Remote, at place, dir string, depth int) (*Tree, error) {
	if err := j.openMirror(ctx, dir, len(at.object)); err != nil {
		return nil, err
	}
	if there, err := j.has(ctx, dir, at, depth); err != nil {
		return nil, err
	} else if !there {
		if err := j.update(ctx, r, dir, at, depth); err != nil {
			return nil, err
		}
		if err := j.tidy(ctx, dir); err != nil {
			return nil, err
		}
	}
	now := time.Now()
	if err := os.Chtimes(dir, now, now); err != nil { // gc goes by it
		return nil, sandbox.Errorf(sandbox.Unavailable, "mark the copy kept of %s as used: %w", want.URL, err)
	}
	return j.checkOut(ctx, want, at, dir)
}

// openMirror makes a mirror that isn't there, and clears away what a git that was
// killed has left in one that is: nobody else works on it, since it is locked.
func (j *job) openMirror(ctx context.Context, dir string, digits int) error {
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err == nil {
		return clearLocks(dir)
	}
	discard(dir)
	return j.initialize(ctx, dir, digits)
}

// initialize makes a bare repository, with nothing in it that git would put there
// for a person.
func (j *job) initialize(ctx context.Context, dir string, digits int) error {
	format := "sha1"
	if digits == 64 {
		format = "sha256"
	}
	err := j.git.run(ctx, j.local("", "init", "--quiet", "--bare", "--template=", "--object-format="+format, "--initial-branch=none", "--", dir))
	if err != nil {
		return sandbox.Errorf(sandbox.Unavailable, "make a folder for the repository: %w", err)
	}
	return nil
}

func clearLocks(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return &brokenError{err}
		case d.IsDir():
		case strings.HasSuffix(path, ".lock"), strings.HasPrefix(d.Name(), "tmp_"):
			_ = os.Chmod(path, 0o600)
			return os.Remove(path)
		}
		return nil
	})
}

// has reports whether a mirror holds a place whole: what a fetch that was killed
// has left isn't reachable from a ref.
func (j *job) has(ctx context.Context, dir string, at place, depth int) (bool, error) {
	err := j.git.run(ctx, j.local(dir, "cat-file", "-e", at.object+"^{commit}"))
	if _, failed := errors.AsType[*commandError](err); failed {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if depth > 0 {
		return j.deepEnough(ctx, dir, at.object, depth)
	}
	out, err := j.git.output(ctx, j.local(dir, "rev-list", "--max-count=1", at.object, "--not", "--all"))
	if _, failed := errors.AsType[*commandError](err); failed {
		return false, &brokenError{err}
	}
	return out == "", err
}

// update fetches a place into a mirror: that alone where there is a depth, else
// all branches and tags.
func (j *job) update(ctx context.Context, r remote, dir string, at place, depth int) error {
	j.tell("fetching %s", r.url)
	kept := "+" + at.object + ":refs/sandlot/" + at.object
	args := []string{"fetch", "--no-write-fetch-head", "--no-tags", "--progress"}
	if depth > 0 {
		err := j.git.run(ctx, j.network(r, dir, append(args, depthArg(depth), "--", r.url, kept)...))
		return j.fetched(r, err, true)
	}
	all := j.network(r, dir, append(args, "--prune", "--", r.url, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")...)
	if err := j.fetched(r, j.git.run(ctx, all), false); err != nil {
		return err
	}
	if there, err := j.has(ctx, dir, at, 0); there || err != nil {
		return err
	}
	err := j.fetched(r, j.git.run(ctx, j.network(r, dir, append(args, "--", r.url, kept)...)), true)
	if errors.Is(err, errNeedsWhole) {
		return &sandbox.Error{
			Class: sandbox.NotFound, Message: "fetch " + r.url + ": it has no commit " + at.object + ", or gives none that no branch and no tag leads to",
			Hint: "look at the commit; perhaps it was never pushed",
		}
	}
	return err
}

// fetched tells what the end of a fetch means.
func (j *job) fetched(r remote, err error, one bool) error {
	failed, ok := errors.AsType[*commandError](err)
	if !ok {
		return err
	}
	for _, words := range []string{
		"unadvertised object", "not our ref", "dumb http transport does not support", "does not support shallow",
		"couldn't find remote ref", "no such remote ref", "Server does not support",
	} {
		if one && strings.Contains(failed.said, words) {
			return errNeedsWhole
		}
	}
	explained, known := j.known(r, err)
	if !known { // what git says of a damaged mirror has many forms
		return &brokenError{explained}
	}
	return explained
}
