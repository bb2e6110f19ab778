//go:build linux

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

func TestTheDockerExampleRunsInAContainer(t *testing.T) {
	t.Parallel()
	d := dockerExample(t, imageGlibc)
	said := word()
	r := d.run("run", "--approve", "yes", "say "+said+"\nwrite a.txt: from inside\nrun cat a.txt && hostname").want(t, 0)
	if !strings.Contains(r.stdout, said) || !strings.Contains(r.stderr, "from inside") {
		t.Errorf("stdout %q, stderr %q", r.stdout, r.stderr)
	}
	containers := d.containers()
	if len(containers) != 1 {
		t.Fatalf("containers %q, want one", containers)
	}
	if !strings.Contains(r.stderr, containers[0][:12]) {
		t.Errorf("the agent's host isn't container %s: %s", containers[0], r.stderr)
	}
	ids := d.sandboxes()
	if len(ids) != 1 || d.engine("inspect", "-f", "{{.Id}}", ids[0]) != containers[0] {
		t.Fatalf("ps tells %q, the engine has %q", ids, containers)
	}
	d.engine("stop", "-t", "0", containers[0])
	if got := d.run("exec", ids[0], "--", "sh", "-c", "cat a.txt; exit 7").want(t, 7).stdout; strings.TrimSpace(got) != "from inside" {
		t.Errorf("exec in what was stopped: %q", got)
	}
	if told := d.run("exec", ids[0], "--", "true").want(t, 0).stderr; told != "" {
		t.Errorf("an exec in what runs tells of itself: %q", told)
	}
	d.run("run", "-c", "--approve", "yes", "read a.txt").want(t, 0)
	if now := d.containers(); !slices.Equal(now, containers) {
		t.Errorf("the thread's second run has container %q, its first had %q", now, containers)
	}
}

func TestClaudeRunsInAContainer(t *testing.T) {
	t.Parallel()
	answer := word()
	model := modelserver.StartAt(t, bridge(t), modelserver.Claude(), modelserver.Script{
		bash("echo it is $(hostname) > where.txt; touch /root/mine; cat where.txt"), modelserver.Say("Done, " + answer + "."),
	})
	d := newDocker(t, example(t, "claude-docker.hcl"))
	d.edit(`memory = "4GiB"`, `memory = "4GiB"
  mount "/usr/local/bin/claude" { source = "`+claudeProgram(t)+`" }`)
	d.edit(`harness "claude-code" "claude" {}`, `harness "claude-code" "claude" { env = { ANTHROPIC_BASE_URL = "`+strings.TrimSuffix(model.URL(), "/v1")+`" } }`)
	d.env = append(d.env, "SANDLOT_VAR_image="+imageGlibc, "ANTHROPIC_API_KEY="+model.Key())
	events := d.run("run", "--json", "Where are you?").want(t, 0).events(t)
	if got := text(events); !strings.Contains(got, answer) {
		t.Errorf("the agent said %q, want %q", got, answer)
	}
	container := d.containers()
	if len(container) != 1 {
		t.Fatalf("containers %q, want one", container)
	}
	results := model.Asked(modelserver.Main)[1].Results
	if len(results) != 1 || !strings.Contains(results[0].Text, "it is "+container[0][:12]) {
		t.Errorf("the command's result %+v, want the host name of container %s", results, container[0])
	}
	diffs := find(events, "CUSTOM", "file.changed")
	if len(diffs) != 1 || !strings.Contains(string(diffs[0].Event.Value), "where.txt") {
		t.Errorf("the run's change is told as %+v", diffs)
	}
	for _, secret := range []string{model.Key()} {
		for _, what := range []string{d.engine("inspect", container[0]), d.engine("logs", container[0])} {
			if strings.Contains(what, secret) {
				t.Errorf("the key is in what the engine tells of the container: %s", clip(what))
			}
		}
	}
}

// bridge is this machine's address in the network of containers.
func bridge(t *testing.T) string {
	t.Helper()
	d := &inDocker{&stage{t: t}}
	return d.engine("network", "inspect", "bridge", "-f", "{{(index .IPAM.Config 0).Gateway}}")
}
