package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"sync"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/volume"

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
	volume string // its name
}

func newFilling(file string) (filling, error) {
	f, err := built.Open(file)
	if err != nil {
		return filling{}, err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return filling{}, err
	}
	return filling{file: file, volume: "sandlot-guest-" + hex.EncodeToString(sum.Sum(nil))[:16]}, nil
}

func guestMount(volume string) mount.Mount {
	return mount.Mount{Type: mount.TypeVolume, Source: volume, Target: guestFolder, ReadOnly: true}
}

// provide makes sure that the volume is there. That it is whole shows when a
// container starts.
func (p *provider) provide(ctx context.Context, image string, g filling) error {
	if _, err := p.engine.VolumeInspect(ctx, g.volume); err == nil || !errdefs.IsNotFound(err) {
		return classify("look for the guest's volume", err)
	}
	return p.fill(ctx, image, g)
}

// fill puts the guest into its volume, by a container that is never started.
func (p *provider) fill(ctx context.Context, image string, g filling) error {
	packed, err := g.pack()
	if err != nil {
		return err
	}
	labels := map[string]string{labelGuest: version}
	if _, err := p.engine.VolumeCreate(ctx, volume.CreateOptions{Name: g.volume, Labels: labels}); err != nil {
		return classify("make the guest's volume", err)
	}
	aside, remove, err := p.aside(ctx, image, labelsOf(sandbox.Labels{Owner: p.owner}),
		&container.HostConfig{Mounts: []mount.Mount{{Type: mount.TypeVolume, Source: g.volume, Target: guestFolder}}})
	if err != nil {
		return classify("fill the guest's volume", err)
	}
	defer remove()
	return classify("fill the guest's volume", p.engine.CopyToContainer(ctx, aside, guestFolder, packed, container.CopyToContainerOptions{}))
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
	if err := w.WriteHeader(&tar.Header{Name: "guest", Mode: 0o755, Size: int64(len(content)), Typeflag: tar.TypeReg}); err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	return &b, w.Close()
}
