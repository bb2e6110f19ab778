package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/docker/go-units"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

type config struct {
	Image    string `hcl:"image" doc:"Image to make containers of. It needs /bin/sh." example:"\"node:22\""`
	Pull     string `hcl:"pull" default:"missing" identity:"false" doc:"When to pull the image: \"missing\" (the engine hasn't got it), \"always\" or \"never\"." example:"\"never\""`
	Platform string `hcl:"platform,optional" doc:"Platform of the image, where it has several; without it the engine's own." example:"\"linux/arm64\""`
	User     string `hcl:"user,optional" doc:"User that everything in the container runs as, as a name or as uid or uid:gid; without it the image's." example:"\"node\""`
	Workdir  string `hcl:"workdir" default:"/workspace" doc:"Folder of the workspace in the container; it is made if need be." example:"\"/src\""`

	CPUs   float64 `hcl:"cpus,optional" doc:"How many processors it may use at most; without it all." example:"1.5"`
	Memory string  `hcl:"memory,optional" doc:"How much memory it may use, swap included; without it all." example:"\"4GiB\""`
	Pids   int     `hcl:"pids" default:"4096" doc:"How many processes and threads it may have at a time; 0: no limit." example:"512"`
	Shm    string  `hcl:"shm_size,optional" doc:"Size of /dev/shm; without it the engine's default, 64MiB." example:"\"1GiB\""`

	Ulimits map[string]int    `hcl:"ulimits,optional" doc:"Limits of each process, soft and hard alike." example:"{ nofile = 65536 }"`
	Tmpfs   map[string]string `hcl:"tmpfs,optional" doc:"Folders that are kept in memory, with their sizes." example:"{ \"/tmp\" = \"1GiB\" }"`
	Mounts  []mountConfig     `hcl:"mount,block" doc:"A folder or file of the engine's machine, or a volume, that the container sees."`

	ReadOnly     bool     `hcl:"read_only,optional" doc:"Nothing of the image can be written to; workdir, /tmp and the home are kept in volumes of the container."`
	CapAdd       []string `hcl:"cap_add,optional" doc:"Linux capabilities that processes get beside the engine's defaults." example:"[\"NET_ADMIN\"]"`
	CapDrop      []string `hcl:"cap_drop,optional" doc:"Linux capabilities that processes don't get." example:"[\"ALL\"]"`
	NewPrivilege bool     `hcl:"new_privileges,optional" doc:"Lets programs such as sudo raise their rights."`

	Ports []int `hcl:"ports,optional" doc:"Ports of the container that can be reached from this machine; see sandlot port." example:"[3000, 8080]"`

	HostAccess bool `hcl:"host_access,optional" doc:"Lets the container reach this machine as host.docker.internal."`
}

type mountConfig struct {
	Target   string `hcl:"target,label"`
	Source   string `hcl:"source" doc:"Absolute path on the engine's machine, or the name of a volume." example:"\"/srv/cache\""`
	ReadOnly bool   `hcl:"read_only" default:"true" doc:"false lets the container write to it."`
}

// The values of pull.
const (
	pullMissing = "missing"
	pullAlways  = "always"
	pullNever   = "never"
)

// check finds what the schema can't say. The host shows it at the attribute's
// line.
func (c config) check() error {
	for _, problem := range []func() error{c.checkImage, c.checkSizes, c.checkPaths, c.checkMounts, c.checkPorts} {
		if err := problem(); err != nil {
			return err
		}
	}
	return nil
}

func invalid(attribute, format string, args ...any) error {
	return &sandbox.Error{Class: sandbox.Invalid, Provider: "docker", Attribute: attribute, Message: fmt.Sprintf(format, args...)}
}

func (c config) checkImage() error {
	switch {
	case strings.TrimSpace(c.Image) == "":
		return invalid("image", "image is empty: name the image to make containers of, for example node:22")
	case !slices.Contains([]string{"", pullMissing, pullAlways, pullNever}, c.Pull):
		return invalid("pull", "pull is %q; it can be \"missing\", \"always\" or \"never\"", c.Pull)
	}
	return nil
}

func (c config) checkSizes() error {
	for _, size := range []struct{ name, value string }{{"memory", c.Memory}, {"shm_size", c.Shm}} {
		if _, err := bytesOf(size.value); err != nil {
			return invalid(size.name, "%s is %q: write a size such as 512MiB or 4GiB", size.name, size.value)
		}
	}
	for folder, size := range c.Tmpfs {
		if _, err := bytesOf(size); err != nil {
			return invalid("tmpfs", "tmpfs: %s has the size %q: write one such as 64MiB or 1GiB", folder, size)
		}
	}
	switch {
	case c.CPUs < 0:
		return invalid("cpus", "cpus is %v: it can't be negative", c.CPUs)
	case c.CPUs > 0 && c.CPUs < 0.01:
		return invalid("cpus", "cpus is %v: 0.01 is the least", c.CPUs)
	case c.Pids < 0:
		return invalid("pids", "pids is %d: it can't be negative", c.Pids)
	}
	return nil
}

func (c config) checkPaths() error {
	if !path.IsAbs(c.Workdir) || path.Clean(c.Workdir) == "/" {
		return invalid("workdir", "workdir is %q: it must be an absolute path in the container, and not / itself", c.Workdir)
	}
	if own := overlap(c.Workdir); own != "" {
		return invalid("workdir", "workdir is %q: %s is Sandlot's own", c.Workdir, own)
	}
	for _, made := range []string{"/proc", "/sys", "/dev"} {
		if under(path.Clean(c.Workdir), made) {
			return invalid("workdir", "workdir is %q: no files can be kept in %s", c.Workdir, made)
		}
	}
	for folder := range c.Tmpfs {
		if !path.IsAbs(folder) || path.Clean(folder) == "/" {
			return invalid("tmpfs", "tmpfs: %q must be an absolute path in the container, and not / itself", folder)
		}
		if own := overlap(folder); own != "" {
			return invalid("tmpfs", "tmpfs: %q can't be kept in memory: %s is Sandlot's own", folder, own)
		}
	}
	return nil
}

// overlap is the folder of Sandlot's own that a folder has in it, or is in; empty:
// none.
func overlap(folder string) string {
	folder = path.Clean(folder)
	for _, own := range []string{guestFolder, stateFolder} {
		if under(folder, own) || under(own, folder) {
			return own
		}
	}
	return ""
}

func (c config) checkMounts() error {
	for i, m := range c.Mounts {
		at := fmt.Sprintf("mount[%d]", i)
		switch target := path.Clean(m.Target); {
		case !path.IsAbs(m.Target) || target == "/":
			return invalid(at, "mount %q: it must be an absolute path in the container, and not / itself", m.Target)
		case overlap(target) != "":
			return invalid(at, "mount %q: %s is Sandlot's own", m.Target, overlap(target))
		case m.Source == "":
			return invalid(at+".source", "mount %q has no source: name a folder of the engine's machine or a volume", m.Target)
		case !path.IsAbs(m.Source) && strings.ContainsAny(m.Source, "/\\"):
			return invalid(at+".source", "mount %q: its source %q must be an absolute path or the name of a volume", m.Target, m.Source)
		}
	}
	return nil
}

// under reports whether a clean path is dir or below it.
func under(p, dir string) bool {
	return p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}

// bytesOf reads a size; an empty one is 0.
func bytesOf(size string) (int64, error) {
	if size == "" {
		return 0, nil
	}
	return units.RAMInBytes(size)
}
