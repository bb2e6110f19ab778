package transfer

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// HostTarget is a path of this machine.
type HostTarget struct {
	Path  string // as written
	Dir   string // working directory, absolute
	Avoid string // absolute folder that it must not lie in, since that is what is copied; may be empty
}

func (t HostTarget) String() string { return fmt.Sprintf("%q", t.Path) }

func (t HostTarget) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(t.Dir, path)
}

// look follows links: it is the person's own path.
func (t HostTarget) look(context.Context) (spot, error) {
	full := t.absolute(t.Path)
	slash, contents := ending(t.Path, separators)
	s := spot{slash: slash || contents, path: full}
	if base := filepath.Base(filepath.Clean(full)); !contents && base != ".." && base != string(os.PathSeparator) {
		s.parent, s.base = filepath.Dir(filepath.Clean(full)), base
	}
	info, err := os.Stat(full)
	switch {
	case err == nil:
		s.there, s.dir = true, info.IsDir()
	case sandbox.ClassOf(hostError("", err)) != sandbox.NotFound:
		return s, hostError("copy to "+t.String(), err)
	default: // a link that leads nowhere is there, and is replaced
		_, err := os.Lstat(strings.TrimRight(full, separators))
		s.there = err == nil
	}
	if t.Avoid != "" && holds(t.Avoid, nearest(full)) {
		return s, sandbox.Errorf(sandbox.Invalid, "copy to %s: it lies in what is copied, %s: that would be copied into itself", t, t.Avoid)
	}
	return s, nil
}

// nearest is the path itself, or what there is of the way to it.
func nearest(path string) string {
	for {
		if _, err := os.Lstat(path); err == nil || filepath.Dir(path) == path {
			return path
		}
		path = filepath.Dir(path)
	}
}

func (t HostTarget) folder(_ context.Context, path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return sandbox.Errorf(sandbox.Invalid, "copy to %s: %q is no folder", t, path)
	}
	if err != nil {
		return hostError(fmt.Sprintf("copy to %s: look for the folder %q", t, path), err)
	}
	return nil
}

func (t HostTarget) take(ctx context.Context, p place, job *Job, entries entries) (err error) {
	root, err := os.OpenRoot(p.folder)
	if err != nil {
		return hostError("copy to "+t.String(), err)
	}
	defer root.Close()
	u := &unpacker{ctx: ctx, to: t.String(), root: root, job: job, names: map[string]string{}}
	defer func() {
		if serr := u.seal(); err == nil {
			err = serr
		}
	}()
	return entries(func(h *tar.Header, body io.Reader) error { return u.entry(h, body) })
}
