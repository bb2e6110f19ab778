//go:build linux

package e2e

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// settled is the docker example with a setup, in a small image, as a sandbox of which
// copies can be made and a port be reached.
func settled(t *testing.T) *inDocker {
	t.Helper()
	d := dockerExample(t, imageBusybox)
	d.edit("  pids   = 256\n", "  pids   = 256\n  ports  = [8000]\n")
	d.edit(`sandbox "docker" {`, `workspace "w" {
  setup { run = ["echo set up > setup.txt"] }
}

sandbox "docker" {
  workspace = workspace.w`)
	return d
}

// phasesOf are those of a run on a thread, which must complete.
func (d *inDocker) phasesOf(thread, prompt string) string {
	d.t.Helper()
	r := d.run("run", "--json", "--approve", "yes", "--thread", thread, prompt).want(d.t, 0)
	return phases(r.events(d.t))
}

// in is what a file of a sandbox holds; empty if there is none.
func (d *inDocker) in(sandbox, file string) string {
	d.t.Helper()
	return strings.TrimSpace(d.run("exec", sandbox, "--", "sh", "-c", "cat "+file+" 2>/dev/null || true").want(d.t, 0).stdout)
}

func TestANewThreadStartsFromASnapshotOfTheSetup(t *testing.T) {
	t.Parallel()
	d := settled(t)
	first := word()
	if got := d.phasesOf("a", "write a.txt: "+first); got != "create done, setup done, snapshot done" {
		t.Errorf("the first thread: %s", got)
	}
	if got := d.run("plan", "--thread", "b").want(t, 0).stdout; !strings.Contains(got, "restore snapshot ") {
		t.Errorf("plan: %s", got)
	}
	if got := d.phasesOf("b", "read setup.txt"); got != "restore done" {
		t.Errorf("the second thread: %s", got)
	}
	ids := d.sandboxes()
	b, a := ids[0], ids[1]
	if got := d.in(b, "setup.txt") + "," + d.in(b, "a.txt"); got != "set up," {
		t.Errorf("what the second starts with: %q", got)
	}

	// By hand: a copy of the sandbox, and one of a snapshot of it.
	kept := strings.TrimSpace(d.run("snapshot", "create", a, "--label", "by hand").want(t, 0).stdout)
	if got := d.snapshots(); len(got) != 2 || got[0] != kept {
		t.Errorf("snapshots %q, want %s first", got, kept)
	}
	for thread, from := range map[string]string{"copy": a, "again": strings.TrimPrefix(kept, "sandlot-snapshot:")[:12]} {
		id := strings.TrimSpace(d.run("fork", from, "--thread", thread).want(t, 0).stdout)
		if got := d.in(id, "a.txt"); got != first {
			t.Errorf("the copy for thread %s has %q, want %q", thread, got, first)
		}
		if got := d.phasesOf(thread, "read a.txt"); got != "resume done" {
			t.Errorf("the run of thread %s: %s", thread, got)
		}
	}
	d.run("snapshot", "rm", kept[:30]).want(t, 0)

	// The same setup once more, whose snapshot somebody has removed from the engine.
	d.run("destroy", b).want(t, 0) // it is made of that
	d.engine("rmi", "-f", d.snapshots()[0])
	if got := d.phasesOf("c", "read setup.txt"); got != "restore failed, create done, setup done, snapshot done" {
		t.Errorf("the thread after: %s", got)
	}

	d.engine("exec", "-d", a, "httpd", "-f", "-p", "8000", "-h", "/workspace")
	serving := d.start("port", a, "8000", "--local", "0")
	serving.await("\n")
	url := strings.TrimSpace(serving.stdout.String())
	until(t, 20*time.Second, "the service answers", func() bool {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/a.txt", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return err == nil && strings.TrimSpace(string(body)) == first
	})
	serving.signal(syscall.SIGINT)
	if got := serving.ends(); got.code != 0 {
		t.Errorf("its end: %+v", got)
	}
	d.run("port", a, "8001").want(t, 1)

	// All unused, and nothing that a new sandbox would be made of.
	for _, id := range d.sandboxes() {
		d.run("destroy", id).want(t, 0)
	}
	if got := d.snapshots(); len(got) != 1 {
		t.Errorf("destroy leaves snapshots: %q", got)
	}
	d.run("gc").want(t, 0)
	if got := d.snapshots(); len(got) != 1 {
		t.Errorf("of a setup that was used lately: %q", got)
	}
	d.run("gc", "--keep-runs", "1ms").want(t, 0)
	if got := append(d.snapshots(), d.owned("images", "-a")...); len(got) != 0 {
		t.Errorf("of a setup that nobody uses: %q", got)
	}
}

func TestAThreadGoesOnFromTheSnapshotOfItsLastRun(t *testing.T) {
	t.Parallel()
	d := settled(t)
	d.edit("  workspace = workspace.w", `  workspace = workspace.w
  lifecycle {
    snapshot            = "after-run"
    destroy_on_complete = true
  }`)
	said := word()
	if got := d.phasesOf("a", "write a.txt: "+said); got != "create done, setup done, snapshot done" {
		t.Errorf("the first run: %s", got)
	}
	before := d.snapshots()
	if got := d.sandboxes(); len(got) != 0 || len(before) != 1 {
		t.Errorf("sandboxes %q, snapshots %q", got, before)
	}
	r := d.run("run", "--json", "--approve", "yes", "--thread", "a", "read a.txt").want(t, 0)
	if got := phases(r.events(t)); got != "restore done, snapshot done" || !strings.Contains(r.stdout, said) {
		t.Errorf("the second run: %s; %s", got, clip(r.stdout))
	}
	if got := d.snapshots(); len(got) != 1 || slices.Contains(before, got[0]) {
		t.Errorf("snapshots %q, before %q", got, before)
	}
}
