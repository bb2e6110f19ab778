//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// inDocker is a stage whose sandboxes are containers of this machine's engine. At
// its end it destroys them by the verb, and nothing of its owner may be left on
// the engine.
type inDocker struct{ *stage }

// The images that `make images` makes.
const (
	imageBusybox = "sandlot-test-busybox"
	imageGlibc   = "sandlot-test-glibc"
)

func newDocker(t *testing.T, hcl string) *inDocker {
	t.Helper()
	d := &inDocker{newStage(t, hcl)}
	t.Cleanup(d.emptied)
	return d
}

// dockerExample is examples/docker.hcl, as users call it for another image.
func dockerExample(t *testing.T, image string) *inDocker {
	t.Helper()
	d := newDocker(t, example(t, "docker.hcl"))
	d.env = append(d.env, "SANDLOT_VAR_image="+image, "SANDLOT_VAR_agent="+filepath.Join(built, "sandlot-demo-agent"))
	return d
}

// engine asks the engine by its own command.
func (d *inDocker) engine(args ...string) string {
	d.t.Helper()
	out, err := exec.Command("docker", args...).CombinedOutput()
	if err != nil {
		d.t.Fatalf("docker %q: %v: %s (a Docker engine must run: make deps)", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// owned are the ids of what the stage's owner has on the engine.
func (d *inDocker) owned(what ...string) []string {
	d.t.Helper()
	var owner string
	if err := d.database().QueryRow("SELECT owner FROM meta").Scan(&owner); err != nil {
		d.t.Fatal(err)
	}
	return strings.Fields(d.engine(append(what, "-q", "--filter", "label=dev.sandlot.owner="+owner)...))
}

func (d *inDocker) containers() []string { d.t.Helper(); return d.owned("ps", "-a", "--no-trunc") }

// sandboxes are the ids that `ps` tells.
func (d *inDocker) sandboxes() []string { d.t.Helper(); return d.listed("sandbox", "ps") }

// snapshots are the ids that `snapshot list` tells, the newest first.
func (d *inDocker) snapshots() []string {
	d.t.Helper()
	return d.listed("snapshot", "snapshot", "list")
}

// listed are the ids of things of a kind that a verb tells.
func (d *inDocker) listed(kind string, verb ...string) []string {
	d.t.Helper()
	var ids []string
	for line := range strings.Lines(d.runIn(context.WithoutCancel(d.t.Context()), append(verb, "--json")...).want(d.t, 0).stdout) {
		var row struct{ Type, Sandbox, Snapshot string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			d.t.Fatalf("%v: %s", err, line)
		}
		if row.Type == kind {
			ids = append(ids, map[string]string{"sandbox": row.Sandbox, "snapshot": row.Snapshot}[kind])
		}
	}
	return ids
}

// emptied destroys what is there and looks for what is left. It can't use the
// test's context, which has ended.
func (d *inDocker) emptied() {
	for _, id := range d.sandboxes() {
		d.runIn(context.WithoutCancel(d.t.Context()), "destroy", id).want(d.t, 0)
	}
	for _, id := range d.snapshots() {
		d.runIn(context.WithoutCancel(d.t.Context()), "snapshot", "rm", id).want(d.t, 0)
	}
	left := append(d.containers(), d.owned("volume", "ls")...)
	for _, what := range append(left, d.owned("images", "-a")...) {
		d.t.Errorf("left on the engine: %s", what)
	}
	if d.t.Failed() {
		for _, id := range d.containers() {
			d.engine("rm", "-f", "-v", id)
		}
	}
}
