package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"
	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// imageWith is an image of the BusyBox one with settings of its own.
func imageWith(t *testing.T, name string, settings container.Config) string {
	t.Helper()
	e := testEngine(t)
	made, err := e.ContainerCreate(t.Context(), &container.Config{Image: imageBusybox}, nil, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.ContainerRemove(t.Context(), made.ID, container.RemoveOptions{Force: true}) }()
	if _, err := e.ContainerCommit(t.Context(), made.ID, container.CommitOptions{Reference: name, Config: &settings}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := e.ImageRemove(context.Background(), name, image.RemoveOptions{Force: true}); err != nil {
			t.Error(err)
		}
	})
	return name
}

// TestWhatAContainerIsHeldTo reads each option's effect inside of one container.
func TestWhatAContainerIsHeldTo(t *testing.T) {
	t.Parallel()
	shared := t.TempDir()
	for _, dir := range []string{"in", "out", "in/out"} {
		if err := os.Mkdir(filepath.Join(shared, dir), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(shared, dir), 0o777); err != nil { //nolint:gosec // another user writes there
			t.Fatal(err)
		}
	}
	name := imageWith(t, "sandlot-test-options", container.Config{
		Env: []string{"PATH=/opt/own/bin:/bin", "FROM_IMAGE=kept"}, Entrypoint: []string{"/bin/false"}, User: "nobody",
	})
	p := openProvider(t, config{
		Image: name, Pull: pullNever, User: "ann", CPUs: 0.5, Memory: "96MiB", Pids: 77, Shm: "5MiB",
		Ulimits: map[string]int{"nofile": 321, "core": 0}, Tmpfs: map[string]string{"/scratch": "3MiB"},
		Mounts: []mountConfig{
			{Target: "/in", Source: shared + "/in", ReadOnly: true}, {Target: "/in/out", Source: shared + "/out"},
		},
		ReadOnly: true, CapDrop: []string{"ALL"}, CapAdd: []string{"CHOWN"}, HostAccess: true,
	})
	req := request(p, sandbox.Network{})
	req.Env = map[string]string{"FROM_HOST": "given"}
	sb := create(t, p, req)

	if info := sb.Info(); info.Home != spareHome || info.Root != "/workspace" || info.HostAddress != hostName {
		t.Errorf("info %+v", info)
	}
	_, port := listenOnBridge(t)
	probe := strings.NewReplacer("<host>", hostName, "<port>", port).Replace(`
first() { for f in "$@"; do [ -r "$f" ] && { tr ' ' '\n' < "$f" | head -n 1; return; }; done; }
writes() { if error=$( (: > "$1") 2>&1 ); then echo "writes $1"; else echo "can't write ${error##*create }"; fi; }
echo "user $(id -un)"
echo "home $HOME"
echo "path $PATH"
echo "image $FROM_IMAGE, host $FROM_HOST"
echo "cpu $(first /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu.max)"
echo "memory $(first /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max)"
echo "pids $(first /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max)"
echo "files $(ulimit -n), $(ulimit -H -n); core $(ulimit -c)"
echo "shm $(df -k /dev/shm | awk 'END { print $2 }')"
echo "scratch $(df -k /scratch | awk 'END { print $2, $1 }')"
grep -E '^(CapBnd|NoNewPrivs)' /proc/self/status | tr '\t' ' '
for f in /in/x /in/out/x /etc/x /usr/local/lib/sandlot/guest /workspace/x /tmp/x /scratch/x $HOME/x; do writes $f; done
echo "host $(nc <host> <port> < /dev/null)"
`)
	want := `user ann
home /home/sandlot
path /opt/own/bin:/bin
image kept, host given
cpu 50000
memory 100663296
pids 77
files 321, 321; core 0
shm 5120
scratch 3072 tmpfs
CapBnd: 0000000000000001
NoNewPrivs: 1
can't write /in/x: Read-only file system
writes /in/out/x
can't write /etc/x: Read-only file system
can't write /usr/local/lib/sandlot/guest: Read-only file system
writes /workspace/x
writes /tmp/x
writes /scratch/x
writes /home/sandlot/x
host reached
`
	if diff := cmp.Diff(want, sh(t, sb, probe)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	now := 0
	if err := testEngine(t).ContainerRestart(t.Context(), sb.ID(), container.StopOptions{Timeout: &now}); err != nil {
		t.Fatal(err)
	}
	again, err := p.Resume(t.Context(), sandbox.ResumeRequest{ID: sb.ID(), Env: req.Env})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, sh(t, again, probe)); diff != "" {
		t.Errorf("after a stop (-want +got)\n%s", diff)
	}
	if _, err := os.Stat(shared + "/out/x"); err != nil {
		t.Errorf("what the container wrote isn't here: %v", err)
	}
}

func TestWhatAContainerHasUnasked(t *testing.T) {
	t.Parallel()
	p := openProvider(t, config{Image: imageBusybox, Pull: pullNever, Pids: 4096, User: "1000"})
	sb := create(t, p, request(p, sandbox.Network{}))
	if info := sb.Info(); info.Home != "/home/ann" || info.HostAddress != "" {
		t.Errorf("info %+v", info)
	}
	got := sh(t, sb, `id -u -n; : > "$HOME/x"; grep NoNewPrivs /proc/self/status | tr '\t' ' '; grep -c docker /etc/hosts; cat /proc/1/comm; echo "$PATH"`)
	want := "ann\nNoNewPrivs: 1\n0\ndocker-init\n/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
