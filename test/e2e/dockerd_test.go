//go:build linux

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// dockerd is an engine of a test's own: it can be restarted, and its disk filled.
type dockerd struct {
	t      *testing.T
	dir    string
	extra  []string
	cmd    *exec.Cmd
	exited chan struct{}
	log    bytes.Buffer
}

// newDockerd starts an engine that has the BusyBox image and no network, and ends
// it with the test.
func newDockerd(t *testing.T, extra ...string) *dockerd {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "dockerd") //nolint:usetesting // short: a socket is in it
	if err != nil {
		t.Fatal(err)
	}
	// Beside the engine that is there already, in the same containerd maybe.
	name := filepath.Base(dir)
	extra = append(extra, "--containerd-namespace", name, "--containerd-plugins-namespace", name+"-plugins")
	d := &dockerd{t: t, dir: dir, extra: extra}
	t.Cleanup(func() {
		d.stop()
		for _, mounted := range []string{filepath.Join(dir, "data"), dir} {
			for syscall.Unmount(mounted, syscall.MNT_DETACH) == nil {
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	d.start()
	save := exec.CommandContext(t.Context(), "docker", "save", imageBusybox)
	load := exec.CommandContext(t.Context(), "docker", "-H", d.host(), "load")
	load.Stdin, _ = save.StdoutPipe()
	var said bytes.Buffer
	load.Stdout, load.Stderr, save.Stderr = &said, &said, &said
	must(t, load.Start())
	if err := save.Run(); err != nil {
		t.Fatalf("docker save: %v: %s (make images makes it)", err, said.String())
	}
	if err := load.Wait(); err != nil {
		t.Fatalf("docker load: %v: %s", err, said.String())
	}
	return d
}

func (d *dockerd) host() string { return "unix://" + filepath.Join(d.dir, "s") }

func (d *dockerd) start() {
	d.t.Helper()
	d.cmd = exec.Command("dockerd", append([]string{
		"--host", d.host(), "--data-root", filepath.Join(d.dir, "data"), "--exec-root", filepath.Join(d.dir, "exec"),
		"--pidfile", filepath.Join(d.dir, "pid"), "--bridge", "none", "--iptables=false",
	}, d.extra...)...)
	d.cmd.Stdout, d.cmd.Stderr = &d.log, &d.log
	// In the machine's own network it would take the bridge from the other engine.
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if err := d.cmd.Start(); err != nil {
		d.t.Fatalf("start an engine: %v (make deps installs it)", err)
	}
	cmd, exited := d.cmd, make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	d.exited = exited
	until(d.t, 60*time.Second, "the engine answers", func() bool {
		select {
		case <-exited:
			d.t.Fatalf("the engine has ended:\n%s", d.log.String())
		default:
		}
		return exec.Command("docker", "-H", d.host(), "version").Run() == nil
	})
}

// stop ends the engine in good order.
func (d *dockerd) stop() {
	if d.cmd == nil {
		return
	}
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-d.exited:
	case <-time.After(60 * time.Second):
		d.t.Error("the engine doesn't end")
		_ = d.cmd.Process.Kill()
		<-d.exited
	}
	d.cmd = nil
}

// ask calls the engine by the docker command.
func (d *dockerd) ask(args ...string) string {
	d.t.Helper()
	out, err := exec.Command("docker", append([]string{"-H", d.host()}, args...)...).CombinedOutput()
	if err != nil {
		d.t.Fatalf("docker %q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// inOwnEngine is a project whose journaled agent runs in a container of that
// engine, which has no network.
func inOwnEngine(t *testing.T, d *dockerd) *stage {
	t.Helper()
	s := newStage(t, `
provider "docker" "own" { image = "`+imageBusybox+`" }
harness "minimal" "m" {}
policy "closed" {
  default = "allow"
  network { default = "deny" }
}
sandbox "minimal" {
  provider = provider.docker.own
  harness  = harness.minimal.m
  policy   = policy.closed
}
`)
	s.env = append(s.env, "DOCKER_HOST="+d.host())
	return s
}

func TestARunOutlivesItsEngineWhereContainersDo(t *testing.T) {
	t.Parallel()
	d := newDockerd(t, "--live-restore")
	s := inOwnEngine(t, d)
	s.run("run", "--detach", "--run-id", "r", "append starts\nsay before\nawait go\nsay after").want(t, 0)
	container := awaitAgent(d)
	d.stop()
	d.start()
	d.ask("exec", container, "touch", "/workspace/go")
	r := s.run("attach", "--json", "r").want(t, 0)
	events := r.events(t)
	if got := strings.Join(strings.Fields(text(events)), " "); got != "before after" {
		t.Errorf("the text is %q: each line once, in order", got)
	}
	if end := events[len(events)-1].Event; end.Type != "RUN_FINISHED" {
		t.Errorf("the run ends with %s %s %s", end.Type, end.Code, end.Message)
	}
	if starts := d.ask("exec", container, "cat", "/workspace/starts"); strings.Count(starts, "start") != 1 {
		t.Errorf("the agent was started %q", starts)
	}
	// What the old connection was to: one guest serves now.
	until(t, 60*time.Second, "the guest of before has ended", func() bool {
		return strings.Count(d.ask("top", container, "-o", "pid,args"), "guest serve") <= 1
	})
	s.run("destroy", "minimal").want(t, 0)
	if left := d.ask("ps", "-aq"); left != "" {
		t.Errorf("left on the engine: %s", left)
	}
}

func TestARunEndsWithItsEngineWhereContainersDo(t *testing.T) {
	t.Parallel()
	d := newDockerd(t)
	s := inOwnEngine(t, d)
	s.run("run", "--detach", "--run-id", "r", "say before\nignore-term\nawait never").want(t, 0)
	container := awaitAgent(d)
	pid := d.ask("inspect", "-f", "{{.State.Pid}}", container)
	restarted := time.Now()
	d.stop()
	if _, err := os.Stat(filepath.Join("/proc", pid)); err == nil {
		t.Errorf("process %s of the container lives", pid)
	}
	d.start()
	r := s.run("attach", "--json", "r").want(t, 3)
	end := last(t, r).Event
	if end.Type != "RUN_ERROR" || end.Code != "crashed" {
		t.Errorf("the run ends with %s %s %s", end.Type, end.Code, end.Message)
	}
	if took := time.Since(restarted); took > 30*time.Second {
		t.Errorf("it took %s to tell", took)
	}
	s.run("exec", "minimal", "--", "sh", "-c", "! ps | grep agent.sh | grep -v grep").want(t, 0)
	s.run("destroy", "minimal").want(t, 0)
}

// awaitAgent waits until the agent of the only container has printed something,
// and returns the container's id.
func awaitAgent(d *dockerd) string {
	d.t.Helper()
	var id string
	until(d.t, 60*time.Second, "the agent has begun", func() bool {
		id = d.ask("ps", "-q", "--no-trunc", "--filter", "label=dev.sandlot.thread")
		return id != "" && exec.Command("docker", "-H", d.host(), "exec", id, "sh", "-c", "grep -qr before /var/lib/sandlot/state").Run() == nil
	})
	return id
}
