package transfer

import (
	"archive/tar"
	"context"
	"io"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Source is what is copied.
type Source interface {
	// look says what it is. It may be asked again.
	look(ctx context.Context) (thing, error)
	// each gives out its entries under the given name, a folder before what is in
	// it; of a folder without a name what is in it. Headers hold name, kind, mode,
	// time, size and the target of a link, and nothing else.
	each(ctx context.Context, name string, job *Job, give func(h *tar.Header, body io.Reader) error) error
	String() string
}

// Target is where it goes.
type Target interface {
	// look says what is there now.
	look(ctx context.Context) (spot, error)
	// take writes entries into a folder. Of those that are no folder there is one,
	// with that name.
	take(ctx context.Context, p place, job *Job, entries entries) error
	// folder makes sure that a folder is there to write into.
	folder(ctx context.Context, path string) error
	String() string
}

type entries func(give func(h *tar.Header, body io.Reader) error) error

// thing is a source as it is found.
type thing struct {
	dir      bool
	base     string // its own name
	contents bool   // only what is in it is wanted
}

// spot is a target as it is found.
type spot struct {
	there  bool
	dir    bool   // also a link to one
	slash  bool   // it was written with a slash at its end: a folder is meant
	path   string // as written
	parent string
	base   string // its name in parent; empty: it can't be named, as with ".."
}

// place is where a copy goes: to a name in a folder that is there.
type place struct {
	folder string
	name   string // empty: the entries' own names
	dir    bool   // it is a folder
}

// Copy copies a source to a target, by the rules of `docker cp`:
//
//	a file    onto what isn't there: under that name, in a folder that is there;
//	          onto a file: in its place; onto a folder: into it
//	a folder  onto what isn't there: becomes it; onto a folder: into it, or with
//	          "/." at its end only what it holds; onto a file: refused
//
// It may be called again after a failure, and then begins anew: what is there by
// then is replaced. See [Job] for how far it came.
func Copy(ctx context.Context, from Source, to Target, job *Job) error {
	job.Amount.reset()
	src, err := from.look(ctx)
	if err != nil {
		return err
	}
	dst, err := to.look(ctx)
	if err != nil {
		return err
	}
	p, err := settle(src, dst, from.String(), to.String())
	if err != nil {
		return err
	}
	if err := to.folder(ctx, p.folder); err != nil {
		return err
	}
	return to.take(ctx, p, job, func(give func(*tar.Header, io.Reader) error) error {
		return from.each(ctx, p.name, job, give)
	})
}

// settle is the rules of Copy.
func settle(src thing, dst spot, from, to string) (place, error) {
	switch {
	case dst.dir && src.dir && src.contents:
		return place{folder: dst.path, dir: true}, nil
	case dst.dir:
		return place{folder: dst.path, name: src.base, dir: src.dir}, nil
	case dst.there && src.dir:
		return place{}, sandbox.Errorf(sandbox.Conflict, "copy %s: it is a folder, and %s is none", from, to)
	case dst.there && dst.slash:
		return place{}, sandbox.Errorf(sandbox.Invalid, "copy %s: %s is no folder", from, to)
	case !dst.there && dst.slash && !src.dir:
		return place{}, sandbox.Errorf(sandbox.NotFound, "copy %s: there is no folder %s; make it first, or leave out the slash at its end", from, to)
	case dst.base == "":
		return place{}, sandbox.Errorf(sandbox.NotFound, "copy %s: there is no folder %s", from, to)
	}
	return place{folder: dst.parent, name: dst.base, dir: src.dir}, nil
}

// ending tells how a path is written: with a slash at its end, or with the dot
// that stands for what a folder holds.
func ending(path, separators string) (slash, contents bool) {
	if path == "" {
		return false, true
	}
	slash = strings.ContainsAny(path[len(path)-1:], separators)
	contents = path == "." || path[len(path)-1] == '.' && strings.ContainsAny(path[len(path)-2:len(path)-1], separators)
	return slash, contents
}
