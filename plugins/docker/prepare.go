package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// prepare gives the folders of a container that has never run to a user who
// couldn't make them. The engine does it itself: a process of root's in a
// container of another user may have lost the right to.
func (p *provider) prepare(ctx context.Context, id string) error {
	doing := "prepare the container"
	c, err := p.engine.ContainerInspect(ctx, id)
	if err != nil {
		return classify(doing, err)
	}
	name := c.Config.User
	if user, _, _ := strings.Cut(name, ":"); user == "" || user == "0" || user == "root" {
		return nil
	}
	doing += " for user " + name
	_, err = p.engine.ContainerStatPath(ctx, id, stateFolder+"/state")
	if err == nil {
		return nil // done, and it may have run since
	}
	if !errdefs.IsNotFound(err) {
		return classify(doing, err)
	}
	uid, gid, err := p.ids(ctx, id, name)
	if err != nil {
		return classify(doing, err)
	}
	folders := []string{stateFolder + "/state", settleFolder, spareHome} // whether it is needed shows inside
	empty, err := p.empty(ctx, id, p.config.Workdir)
	if err != nil {
		return classify(doing, err)
	}
	if empty { // what lies there is the image's, and left as it is
		folders = append(folders, p.config.Workdir)
	}
	packed, err := packFolders(folders, uid, gid)
	if err != nil {
		return classify(doing, err)
	}
	if !p.config.ReadOnly {
		return classify(doing, p.engine.CopyToContainer(ctx, id, "/", packed, container.CopyToContainerOptions{}))
	}
	return classify(doing, p.putBeside(ctx, c, packed))
}

// putBeside writes to the volumes of a container whose root the engine doesn't
// write to: by another one that has them too, and that is never started.
func (p *provider) putBeside(ctx context.Context, of container.InspectResponse, packed io.Reader) error {
	aside, remove, err := p.aside(ctx, "", of.Image, labelsOf(sandbox.Labels{Owner: p.owner}), &container.HostConfig{VolumesFrom: []string{of.ID}})
	if err != nil {
		return err
	}
	defer remove()
	return p.engine.CopyToContainer(ctx, aside, "/", packed, container.CopyToContainerOptions{})
}

// empty reports whether a folder of a container has nothing in it, or isn't there.
func (p *provider) empty(ctx context.Context, id, dir string) (bool, error) {
	packed, _, err := p.engine.CopyFromContainer(ctx, id, dir)
	if errdefs.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = packed.Close() }()
	in := tar.NewReader(packed)
	if _, err := in.Next(); err != nil { // the folder itself
		return false, err
	}
	_, err = in.Next()
	if errors.Is(err, io.EOF) {
		return true, nil
	}
	return false, err
}

// packFolders makes an uncompressed tar of folders that are all one user's.
func packFolders(folders []string, uid, gid int) (io.Reader, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, dir := range folders {
		err := w.WriteHeader(&tar.Header{
			Name: strings.TrimPrefix(path.Clean(dir), "/") + "/", Mode: 0o700, Typeflag: tar.TypeDir, Uid: uid, Gid: gid,
		})
		if err != nil {
			return nil, err
		}
	}
	// Other users than this one make a folder of their own there.
	err := w.WriteHeader(&tar.Header{Name: strings.TrimPrefix(usersFolder, "/") + "/", Mode: 0o1777, Typeflag: tar.TypeDir})
	if err != nil {
		return nil, err
	}
	return &b, w.Close()
}
