package shellfs

import (
	"archive/tar"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// maxLinks bounds the names of links that are remembered, in bytes.
const maxLinks = 64 << 20

// maxPadding bounds what is read after the end of a stream.
const maxPadding = 1 << 20

// filter copies the members of a tar stream that are harmless to unpack into an
// empty folder, and then a member end. It fails at the first that isn't harmless,
// as Invalid, and with the error of r or w. What it writes are plain headers: a
// name or a size is never said in two ways that two programs could read
// differently.
func filter(w io.Writer, r io.Reader, end string) error {
	source := &watched{r: r}
	in, out := tar.NewReader(source), tar.NewWriter(w)
	c := checker{links: map[string]bool{}}
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = c.member(h, in, out)
		}
		if source.err != nil {
			return source.err
		}
		if err != nil {
			return streamError(err)
		}
	}
	// What tar pads its last record with. Who sent it may wait until it is taken.
	if _, err := io.CopyN(io.Discard, source, maxPadding); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	err := out.WriteHeader(&tar.Header{Name: end, Typeflag: tar.TypeReg, Mode: 0o600, Format: tar.FormatGNU})
	if err == nil {
		err = out.Close()
	}
	return streamError(err)
}

// streamError blames the stream for what isn't said by anybody else.
func streamError(err error) error {
	if err == nil || sandbox.ClassOf(err) != sandbox.Internal || errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	return sandbox.Errorf(sandbox.Invalid, "the tar stream is broken: %w", err)
}

// watched remembers how its reader failed.
type watched struct {
	r   io.Reader
	err error
}

func (s *watched) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

type checker struct {
	links map[string]bool // names that are links by now
	bytes int             // of links
}

func (c *checker) member(h *tar.Header, body io.Reader, out *tar.Writer) error {
	bad := func(why string) error { return sandbox.Errorf(sandbox.Invalid, "member %.200q %s", h.Name, why) }
	name := path.Clean(strings.TrimRight(h.Name, "/"))
	switch {
	case strings.IndexByte(h.Name+h.Linkname, 0) >= 0:
		return bad("has a NUL in a name")
	case h.Name == "" || !local(h.Name):
		return bad("leads out of the folder")
	case c.through(name):
		return bad("goes through a link that came before")
	case c.links[name]:
		return bad("replaces a link that came before")
	case name == "." && h.Typeflag == tar.TypeDir:
		return nil // the folder itself keeps its mode
	case name == ".":
		return bad("is the folder itself")
	}
	// Only what is needed is said again: no owner, no extended attributes.
	clean := &tar.Header{
		Typeflag: h.Typeflag, Name: name, Mode: h.Mode & 0o777, ModTime: h.ModTime, Format: tar.FormatGNU,
	}
	switch h.Typeflag {
	case tar.TypeReg:
		for key := range h.PAXRecords {
			if strings.HasPrefix(key, "GNU.sparse.") { // a few bytes that unfold to any number
				return bad("is sparse")
			}
		}
		clean.Size = h.Size
	case tar.TypeDir:
		clean.Name += "/"
		clean.Mode |= 0o700 // so that it can be filled, and moved
	case tar.TypeSymlink:
		clean.Linkname = h.Linkname
		if err := c.link(name); err != nil {
			return err
		}
	case tar.TypeLink:
		target := path.Clean(h.Linkname)
		if h.Linkname == "" || !local(h.Linkname) || c.links[target] || c.through(target) {
			return bad("is a link to something outside of the stream's own files")
		}
		clean.Linkname = target
	default:
		return bad("is neither a file, a folder nor a link")
	}
	if err := out.WriteHeader(clean); err != nil {
		return err
	}
	_, err := io.Copy(out, body)
	return err
}

// local reports whether a name stays in the folder, whatever links there are.
func local(name string) bool {
	if path.IsAbs(name) {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return false
		}
	}
	return true
}

// through reports whether a folder of name is a link.
func (c *checker) through(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if c.links[dir] {
			return true
		}
	}
	return false
}

func (c *checker) link(name string) error {
	if c.bytes += len(name); c.bytes > maxLinks {
		return sandbox.Errorf(sandbox.Exhausted, "the names of the stream's links have more than %d MiB", maxLinks>>20)
	}
	c.links[name] = true
	return nil
}
