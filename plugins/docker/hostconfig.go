package main

import (
	"maps"
	"slices"
	"strconv"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/go-units"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// container is what the container is made with; image is the id of what was
// found, volume that of its guest.
func (c config) container(image string, labels map[string]string) *container.Config {
	exposed, _ := c.publish()
	return &container.Config{
		ExposedPorts: exposed,
		Image:        image, User: c.User, WorkingDir: c.Workdir, Labels: labels,
		Entrypoint: []string{guestProgram}, Cmd: []string{"idle"},
		Healthcheck: &container.HealthConfig{Test: []string{"NONE"}}, // the image's asks for what doesn't run
	}
}

// host is what the engine is to hold the container to. Volumes of its own say who
// made them: the engine removes them with the container, and only then.
func (c config) host(guestVolume string, labels sandbox.Labels) *container.HostConfig {
	own := func(target string) mount.Mount {
		return mount.Mount{Type: mount.TypeVolume, Target: target, VolumeOptions: &mount.VolumeOptions{Labels: labelsOf(labels)}}
	}
	initFirst := true
	h := &container.HostConfig{Init: &initFirst, ReadonlyRootfs: c.ReadOnly, CapAdd: c.CapAdd, CapDrop: c.CapDrop}
	h.Mounts = append(h.Mounts, guestMount(guestVolume), own(stateFolder))
	if c.ReadOnly {
		h.Mounts = append(h.Mounts, own(c.Workdir), own("/tmp"), own(spareHome))
	}
	if !c.NewPrivilege {
		h.SecurityOpt = []string{"no-new-privileges"}
	}
	if c.HostAccess {
		h.ExtraHosts = []string{hostName + ":host-gateway"}
	}
	_, h.PortBindings = c.publish()
	c.limit(h)
	c.mount(h, labels)
	return h
}

// spareHome is the home of a user who has none that can be written to; the guest
// knows it too.
const spareHome = "/home/sandlot"

const hostName = "host.docker.internal"

// limit takes over what was checked before.
func (c config) limit(h *container.HostConfig) {
	h.NanoCPUs = int64(c.CPUs * 1e9)
	h.Memory, _ = bytesOf(c.Memory)
	h.MemorySwap = h.Memory // swap included: there is none beside it
	h.ShmSize, _ = bytesOf(c.Shm)
	if c.Pids > 0 {
		pids := int64(c.Pids)
		h.PidsLimit = &pids
	}
	for _, name := range slices.Sorted(maps.Keys(c.Ulimits)) {
		limit := int64(c.Ulimits[name])
		h.Ulimits = append(h.Ulimits, &units.Ulimit{Name: name, Soft: limit, Hard: limit})
	}
}

func (c config) mount(h *container.HostConfig, labels sandbox.Labels) {
	for _, folder := range slices.Sorted(maps.Keys(c.Tmpfs)) {
		options := "nosuid,nodev,mode=1777"
		if size, _ := bytesOf(c.Tmpfs[folder]); size > 0 {
			options += ",size=" + strconv.FormatInt(size, 10)
		}
		// A volume, as the engine's own kind of tmpfs loses its mode when the
		// container is started again: nobody but root could write to it then.
		h.Mounts = append(h.Mounts, mount.Mount{Type: mount.TypeVolume, Target: folder, VolumeOptions: &mount.VolumeOptions{
			NoCopy: true, Labels: labelsOf(labels), DriverConfig: &mount.Driver{
				Name: "local", Options: map[string]string{"type": "tmpfs", "device": "tmpfs", "o": options},
			},
		}})
	}
	for _, m := range c.Mounts {
		kind := mount.TypeVolume
		if m.Source[0] == '/' {
			kind = mount.TypeBind
		}
		h.Mounts = append(h.Mounts, mount.Mount{Type: kind, Source: m.Source, Target: m.Target, ReadOnly: m.ReadOnly})
	}
}
