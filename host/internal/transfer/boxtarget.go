package transfer

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// tidyTime is for the removal of what isn't whole, also when the copy was given up.
const tidyTime = 30 * time.Second

func (t BoxTarget) look(ctx context.Context) (spot, error) {
	p, slash, contents := t.own()
	s := spot{slash: slash || contents, path: p}
	if b := path.Base(p); !contents && b != "." && b != ".." && b != "/" {
		s.parent, s.base = path.Dir(p), b
	}
	info, err := t.stat(ctx, p)
	if err == nil && info.Kind == sandbox.KindLink {
		s.there = true
		if info, err = t.stat(ctx, p+"/."); err != nil { // it leads to no folder
			return s, nil //nolint:nilerr // and is replaced
		}
		s.path = p + "/."
	}
	switch {
	case errors.Is(err, sandbox.NotFound):
		return s, nil
	case err != nil:
		return s, err
	}
	s.there, s.dir = true, info.Kind == sandbox.KindDir
	return s, nil
}

func (t BoxTarget) folder(ctx context.Context, p string) error {
	info, err := t.stat(ctx, p)
	if err == nil && info.Kind == sandbox.KindLink {
		info, err = t.stat(ctx, p+"/.")
	}
	switch {
	case errors.Is(err, sandbox.NotFound):
		return sandbox.Errorf(sandbox.NotFound, "copy to %s: there is no folder %q in the sandbox; make it first: sandlot exec %s -- mkdir -p %s", t, p, t.Name, p)
	case err == nil && info.Kind != sandbox.KindDir:
		return sandbox.Errorf(sandbox.Invalid, "copy to %s: %q is no folder", t, p)
	}
	return err
}

// take lets the sandbox unpack a folder, and puts a single file in its place when
// it is whole.
func (t BoxTarget) take(ctx context.Context, p place, job *Job, entries entries) error {
	if p.dir {
		return t.push(ctx, p.folder, job, entries)
	}
	final := under(p.folder, p.name)
	if info, err := t.Files.Stat(ctx, final); err == nil && info.Kind == sandbox.KindDir {
		return sandbox.Errorf(sandbox.Conflict, "copy to %s: %q is a folder, which no file replaces", t, final)
	}
	if err := t.sweep(ctx, p.folder, job); err != nil {
		return err
	}
	tmp := under(p.folder, temporary(job.Mark))
	err := t.push(ctx, tmp, job, entries)
	if err == nil {
		if err = t.Files.Rename(ctx, under(tmp, p.name), final); err != nil {
			err = fmt.Errorf("copy to %s: put it in its place: %w", t, err)
		}
	}
	tidy, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	if rerr := t.Files.Remove(tidy, tmp); rerr != nil {
		err = errors.Join(err, fmt.Errorf("remove %q, which isn't whole, from sandbox %s: %w", tmp, t.Name, rerr))
	}
	return err
}

func (t BoxTarget) push(ctx context.Context, folder string, job *Job, entries entries) error {
	r, w := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		buffer := bufio.NewWriterSize(w, 256<<10)
		out := tar.NewWriter(buffer)
		err := entries(func(h *tar.Header, body io.Reader) error { return t.pack(ctx, out, h, body, job) })
		if err == nil {
			err = out.Close()
		}
		if err == nil {
			err = buffer.Flush()
		}
		_ = w.CloseWithError(err)
		packed <- err
	}()
	err := t.Files.Push(ctx, folder, r)
	_ = r.CloseWithError(errUnread)
	switch perr := <-packed; {
	case perr != nil && !errors.Is(perr, errUnread):
		return perr // else it is the sandbox that took no more
	case err == nil && perr != nil:
		return sandbox.Errorf(sandbox.Internal, "copy to %s: the provider took only a part of it and reported no error", t)
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("copy to %s: %w", t, err)
	}
	return nil
}

func (t BoxTarget) pack(ctx context.Context, out *tar.Writer, h *tar.Header, body io.Reader, job *Job) error {
	switch h.Typeflag {
	case tar.TypeReg, tar.TypeDir, tar.TypeSymlink, tar.TypeLink:
	case tar.TypeGNUSparse:
		return sandbox.Errorf(sandbox.Invalid, "copy to %s: %q is sparse: it would take %d bytes that aren't sent", t, h.Name, h.Size)
	default:
		job.note(h.Name, "left out: it is "+unusual(h.Typeflag))
		return nil
	}
	if err := out.WriteHeader(h); err != nil {
		return err
	}
	if h.Typeflag == tar.TypeReg {
		if _, err := io.Copy(io.MultiWriter(out, counted{&job.Amount}), stopping{ctx, body}); err != nil {
			return err
		}
	}
	if h.Typeflag != tar.TypeDir {
		job.Amount.Files.Add(1)
	}
	return nil
}
