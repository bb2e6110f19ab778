package providertest

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
)

// member is one entry of a tar stream.
type member struct {
	name    string
	kind    byte // tar.Type...; 0: a file
	mode    fs.FileMode
	content string
	target  string // of a link
}

// pack makes a tar stream. It never fails but for a mistake in this package.
func pack(members ...member) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, m := range members {
		h := &tar.Header{
			Name: m.name, Typeflag: m.kind, Linkname: m.target, Mode: int64(m.mode), Size: int64(len(m.content)),
			ModTime: time.Unix(1_600_000_000, 0), Format: tar.FormatGNU,
		}
		if m.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if m.mode == 0 {
			h.Mode = 0o644
		}
		err := w.WriteHeader(h)
		if err == nil {
			_, err = io.WriteString(w, m.content)
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// unpack reads a tar stream; names are cleaned, the folder itself is left out.
func unpack(stream []byte) (map[string]member, error) {
	found := map[string]member{}
	r := tar.NewReader(bytes.NewReader(stream))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		name := path.Clean(strings.TrimSuffix(h.Name, "/"))
		if name == "." && h.Typeflag == tar.TypeDir {
			continue
		}
		m := member{name: name, kind: h.Typeflag, mode: fs.FileMode(h.Mode).Perm(), content: string(content), target: h.Linkname}
		if m.kind == tar.TypeSymlink {
			m.mode = 0 // has none
		}
		found[name] = m
	}
}
