package transfer

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Box is a path in a sandbox, as source or as target.
type Box struct {
	Files sandbox.Files
	Name  string // of the sandbox, for messages
	Path  string // as written; relative ones are under its workspace folder; empty: that folder
}

func (b Box) String() string { return fmt.Sprintf("%q", b.Name+":"+b.Path) }

// BoxSource is a file or folder of a sandbox.
type BoxSource struct{ Box }

// BoxTarget is a path of a sandbox.
type BoxTarget struct{ Box }

// stat looks at a path; of a link with a slash or a dot at its end, at where it
// leads.
func (b Box) stat(ctx context.Context, p string) (sandbox.FileInfo, error) {
	info, err := b.Files.Stat(ctx, p)
	if err != nil {
		return info, fmt.Errorf("look at %q in sandbox %s: %w", p, b.Name, err)
	}
	return info, nil
}

// own is the path without what it ends in for the meaning of it.
func (b Box) own() (trimmed string, slash, contents bool) {
	slash, contents = ending(b.Path, "/")
	p := b.Path
	if contents {
		p = strings.TrimSuffix(p, ".")
	}
	switch t := strings.TrimRight(p, "/"); {
	case t != "":
		return t, slash, contents
	case strings.HasPrefix(b.Path, "/"):
		return "/", slash, true
	}
	return ".", slash, contents
}

func (s BoxSource) look(ctx context.Context) (thing, error) {
	p, slash, contents := s.own()
	info, err := s.stat(ctx, p)
	if err == nil && info.Kind == sandbox.KindLink && (slash || contents) { // the folder behind it is meant
		info, err = s.stat(ctx, p+"/.")
	}
	switch {
	case errors.Is(err, sandbox.NotFound):
		return thing{}, sandbox.Errorf(sandbox.NotFound, "copy %s: there is no such file or folder in the sandbox", s)
	case err != nil:
		return thing{}, err
	case info.Kind == sandbox.KindOther:
		return thing{}, sandbox.Errorf(sandbox.Invalid, "copy %s: it is neither file, folder nor link", s)
	case (slash || contents) && info.Kind != sandbox.KindDir:
		return thing{}, sandbox.Errorf(sandbox.Invalid, "copy %s: it is no folder", s)
	}
	return thing{dir: info.Kind == sandbox.KindDir, base: base(p), contents: contents}, nil
}

// base is the last name of a path; "root" where it has none that can be used.
func base(p string) string {
	if b := path.Base(p); b != "." && b != ".." && b != "/" {
		return b
	}
	return "root"
}

func (s BoxSource) each(ctx context.Context, name string, job *Job, give func(*tar.Header, io.Reader) error) error {
	p, slash, contents := s.own()
	info, err := s.stat(ctx, p)
	if err == nil && info.Kind == sandbox.KindLink && (slash || contents) {
		p += "/."
		info, err = s.stat(ctx, p)
	}
	if err != nil {
		return err
	}
	if dir := info.Kind == sandbox.KindDir; dir && name != "" {
		h := &tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: int64(info.Mode.Perm()), ModTime: info.ModTime, Format: tar.FormatPAX}
		if err := give(h, nil); err != nil {
			return err
		}
	}
	pulling, cancel := context.WithCancel(ctx)
	defer cancel()
	r, w := io.Pipe()
	pulled := make(chan error, 1)
	go func() {
		err := s.Files.Pull(pulling, p, w)
		_ = w.CloseWithError(err) // nil is the end of the stream
		pulled <- err
	}()
	err = s.members(r, name, info.Kind == sandbox.KindDir, give)
	_ = r.CloseWithError(errUnread)
	cancel() // a sandbox that sends more than an archive isn't listened to
	switch perr := <-pulled; {
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case perr != nil && errors.Is(err, perr): // not ours
		return fmt.Errorf("copy %s: %w", s, perr)
	}
	return err
}

// mostRest is how much is read after the end of an archive, which is filled up to
// the size of a block.
const mostRest = 1 << 20

var errUnread = errors.New("nothing more is read")

// members gives out what a sandbox sends, under a name.
func (s BoxSource) members(r io.Reader, name string, dir bool, give func(*tar.Header, io.Reader) error) error {
	in := tar.NewReader(r)
	for sent := 0; ; sent++ {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			if !dir && sent == 0 {
				return sandbox.Errorf(sandbox.Conflict, "copy %s: it went away while it was read", s)
			}
			// What was wrong may be told after the end of the archive, too.
			_, err := io.Copy(io.Discard, io.LimitReader(r, mostRest))
			return err
		}
		if err != nil {
			return fmt.Errorf("copy %s: read what the sandbox sends: %w", s, err)
		}
		if !dir && sent > 0 {
			return sandbox.Errorf(sandbox.Invalid, "copy %s: the sandbox sends more than the one file, %q", s, h.Name)
		}
		out := plain(h)
		switch {
		case !dir:
			out.Name = name
		default:
			out.Name = under(name, h.Name)
			if h.Typeflag == tar.TypeLink {
				out.Linkname = under(name, h.Linkname)
			}
		}
		if err := give(out, in); err != nil {
			return err
		}
	}
}

// plain is a header with what counts, and the mark of a sparse file, which is
// refused where it is written.
func plain(h *tar.Header) *tar.Header {
	kind := h.Typeflag
	if sparse(h) {
		kind = tar.TypeGNUSparse
	}
	return &tar.Header{
		Typeflag: kind, Name: h.Name, Linkname: h.Linkname, Size: h.Size,
		Mode: h.Mode & 0o777, ModTime: h.ModTime, Format: tar.FormatPAX,
	}
}
