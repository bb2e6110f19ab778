package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"sync"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

//go:embed guests
var built embed.FS

// guests finds the guest program for a kind of machine, e.g. "linux/amd64".
type guests func(platform string) (filling, error)

// embedded are those that this program was built with. Each is summed up once: that
// takes as long as some of the engine's calls.
func embedded() guests {
	var mu sync.Mutex
	known := map[string]filling{}
	return func(platform string) (filling, error) {
		mu.Lock()
		defer mu.Unlock()
		if g, ok := known[platform]; ok {
			return g, nil
		}
		g, err := newFilling("guests/sandlot-guest-" + dashed(platform) + ".gz")
		if errors.Is(err, fs.ErrNotExist) {
			return filling{}, &sandbox.Error{
				Class: sandbox.Unsupported, Provider: "docker",
				Message: "this build of the docker provider has no guest for containers of " + platform,
				Hint:    "use an image for another platform, or build the provider with `make build`",
			}
		}
		if err == nil {
			known[platform] = g
		}
		return g, err
	}
}

func dashed(platform string) string {
	return string(bytes.ReplaceAll([]byte(platform), []byte("/"), []byte("-")))
}

const guestFolder = "/usr/local/lib/sandlot" // in the container, read-only

const guestProgram = guestFolder + "/guest"

// filling is one guest program and where an engine keeps it: in a volume that all
// containers of the engine share, whoever made them, and that none can write to.
type filling struct {
	file   string // that was built in, compressed
	size   int64  // of the program, bytes
	volume string // its name
}

func newFilling(file string) (filling, error) {
	packed, err := built.ReadFile(file)
	if err != nil {
		return filling{}, err
	}
	// The last four bytes of a gzip file are the content's size.
	size := binary.LittleEndian.Uint32(packed[max(0, len(packed)-4):])
	sum := sha256.Sum256(packed)
	return filling{file: file, size: int64(size), volume: "sandlot-guest-" + hex.EncodeToString(sum[:])[:16]}, nil
}

// pack makes an uncompressed tar of the program.
func (g filling) pack() (io.Reader, error) {
	f, err := built.Open(g.file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(unzipped)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: "guest", Mode: guestMode, Size: int64(len(content)), Typeflag: tar.TypeReg}); err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	return &b, w.Close()
}
