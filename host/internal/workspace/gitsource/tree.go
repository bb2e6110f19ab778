package gitsource

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Tree is a fetched commit, ready to be written.
type Tree struct {
	Commit string // its whole name
	Branch string // that the work tree is on; empty: none
	Files  int64  // files and links, those of submodules too
	Bytes  int64  // of all files and of the .git folder

	job     *job
	dir     string // the git folder, ours alone
	done    func() // removes it
	modules []entry
	below   []submodule
	large   pointers
}

// Close removes what was made for the tree. The cache keeps the repository.
func (t *Tree) Close() error {
	var err error
	for _, sub := range t.below {
		err = errors.Join(err, sub.tree.Close())
	}
	t.done()
	return err
}

// entry is a line of git ls-tree.
type entry struct {
	mode   string // "100644", "100755", "120000", "040000", "160000"
	kind   string // "blob", "tree", "commit"
	object string
	size   int64  // of a blob, in bytes
	path   string // as git has it: any bytes
}

// list looks at all names of the commit, and counts.
func (t *Tree) list(ctx context.Context) error {
	check := newChecker()
	err := t.each(ctx, func(e entry) error {
		if err := check.check(e); err != nil {
			return err
		}
		switch e.kind {
		case "blob":
			if e.mode == "120000" && e.size > maxPath {
				return refuse(e.path, "it is a link to a path of more than %d bytes", maxPath)
			}
			t.Files++
			t.Bytes += e.size
		case "commit":
			t.modules = append(t.modules, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	size, err := t.gitSize()
	t.Bytes += size
	return err
}

// each gives every entry of the commit, a folder before what is in it.
func (t *Tree) each(ctx context.Context, visit func(entry) error) error {
	p := &lister{visit: visit}
	c := t.job.local(t.dir, "ls-tree", "-r", "-t", "-z", "-l", "--full-tree", t.Commit)
	c.stdout = p
	err := t.job.git.run(ctx, c)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case p.err != nil:
		return p.err
	}
	return ours(err)
}

// lister takes apart what git ls-tree prints.
type lister struct {
	visit func(entry) error
	rest  []byte
	err   error
}

// Write implements io.Writer.
func (l *lister) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for l.err == nil {
		line, rest, ok := bytes.Cut(l.rest, []byte{0})
		if !ok {
			break
		}
		var e entry
		if e, l.err = parseEntry(string(line)); l.err == nil {
			l.err = l.visit(e)
		}
		l.rest = rest
	}
	if l.err == nil && len(l.rest) > 1<<20 {
		l.err = refuse(string(l.rest[:80]), "its name is too long")
	}
	if l.err != nil {
		return 0, l.err
	}
	l.rest = append([]byte(nil), l.rest...)
	return len(p), nil
}

func parseEntry(line string) (entry, error) {
	head, path, ok := strings.Cut(line, "\t")
	words := strings.Fields(head)
	if !ok || len(words) != 4 || !commitForm.MatchString(words[2]) {
		return entry{}, &brokenError{sandbox.Errorf(sandbox.Internal, "git ls-tree printed %q", line)}
	}
	e := entry{mode: words[0], kind: words[1], object: words[2], path: path}
	if e.kind == "blob" {
		size, err := strconv.ParseInt(words[3], 10, 64)
		if err != nil { // an object that isn't there
			return entry{}, &brokenError{sandbox.Errorf(sandbox.Internal, "git ls-tree printed %q", line)}
		}
		e.size = size
	}
	return e, nil
}
