package transfer

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// hostile is a sandbox's files that sends whatever it likes.
type hostile struct {
	sandbox.Files

	kind   sandbox.FileKind
	stream []byte
	err    error // after the stream
}

func (h hostile) Stat(context.Context, string) (sandbox.FileInfo, error) {
	return sandbox.FileInfo{Name: "src", Kind: h.kind, Mode: 0o755}, nil
}

func (h hostile) Pull(_ context.Context, _ string, w io.Writer) error {
	if _, err := w.Write(h.stream); err != nil {
		return err
	}
	return h.err
}

// member is an entry of a stream.
type member struct {
	name, link, body string
	kind             byte // default: a file
	mode             int64
	size             int64 // if it isn't that of the body
	extended         bool  // its body are PAX records of the next one
}

func stream(t *testing.T, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Linkname: m.link, Typeflag: m.kind, Mode: m.mode, Size: int64(len(m.body))}
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Mode == 0 {
			h.Mode = 0o644
		}
		if m.size != 0 {
			h.Size = m.size
		}
		at := b.Len()
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if m.extended {
			extend(b.Bytes()[at:])
		}
		if _, err := io.WriteString(w, m.body); err != nil {
			t.Fatal(err)
		}
	}
	_ = w.Flush() // a body that is shorter than it says is one of the cases
	return b.Bytes()
}

// extend makes of a file's header one whose content are PAX records, which the
// writer refuses to do.
func extend(header []byte) {
	header[156] = tar.TypeXHeader
	copy(header[148:156], "        ")
	sum := 0
	for _, c := range header[:512] {
		sum += int(c)
	}
	copy(header[148:156], fmt.Sprintf("%06o\x00 ", sum))
}

// world is a folder to copy into, dst, beside what must stay as it is.
type world struct {
	t        *testing.T
	dir, dst string
	notes    []string
	job      Job
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	w.dst = filepath.Join(w.dir, "dst")
	if err := os.Mkdir(w.dst, 0o755); err != nil {
		t.Fatal(err)
	}
	w.write("outside", "mine")
	w.job.Note = func(name, what string) { w.notes = append(w.notes, name+" "+what) }
	t.Cleanup(func() {
		if got := w.read("outside"); got != "mine" {
			t.Errorf("the file outside is %q now", got)
		}
		entries, err := os.ReadDir(w.dir)
		if err != nil || len(entries) != 2 {
			t.Errorf("beside the target there is %v, %v", entries, err)
		}
		err = filepath.WalkDir(w.dst, func(path string, _ os.DirEntry, err error) error {
			if strings.Contains(path, ".sandlot-cp-") {
				t.Errorf("left behind: %s", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		return "error: " + err.Error()
	}
	return string(data)
}

// take copies what the sandbox sends into dst, as the tree "got".
func (w *world) take(h hostile) error {
	return Copy(w.t.Context(), BoxSource{Box{Files: h, Name: "box", Path: "got"}}, HostTarget{Path: "dst", Dir: w.dir}, &w.job)
}
