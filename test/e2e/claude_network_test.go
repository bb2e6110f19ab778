//go:build linux

package e2e

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// TestClaudeReachesForHosts has a policy whose only rule is about the network. The
// hosts are nowhere: what is allowed fails, and not by us.
func TestClaudeReachesForHosts(t *testing.T) {
	t.Parallel()
	fetch := func(url string) modelserver.Turn {
		return modelserver.Use("WebFetch", map[string]any{"url": url, "prompt": "What is it?"})
	}
	c := newClaude(t, modelserver.Script{
		fetch("https://docs.nowhere.invalid/x"), fetch("https://nowhere.invalid/docs.nowhere.invalid"),
		modelserver.Use("WebSearch", map[string]any{"query": "docs.nowhere.invalid"}), modelserver.Say("done"),
	}).free()
	c.edit(`policy "free" { default = "allow" }`, `policy "free" {
  default = "allow"
  network {
    default     = "ask"
    allow_hosts = ["*.nowhere.invalid"]
  }
}`)
	events := c.run("run", "--json", "--approve", "no", "Fetch them").want(t, 0).events(t)
	var decided []string
	for _, e := range find(events, "CUSTOM", "approval.decided") {
		var v struct{ Kind, Target, Decision, Rule string }
		e.value(&v)
		decided = append(decided, strings.Join([]string{v.Kind, v.Target, v.Decision, v.Rule}, " "))
	}
	want := []string{
		`network docs.nowhere.invalid allow network.allow_hosts "*.nowhere.invalid"`,
		"network nowhere.invalid deny network.default",
		"network search: docs.nowhere.invalid deny network.default",
	}
	if diff := cmp.Diff(want, decided); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
	if got := c.results(); len(got) != 3 || strings.Contains(got[0], "--approve no") || !strings.Contains(got[1], "denied by --approve no") || !strings.Contains(got[2], "denied by --approve no") {
		t.Errorf("results: %q", got)
	}
	plan := c.run("plan").want(t, 0).stdout
	for _, rule := range []string{`network.allow_hosts "*.nowhere.invalid"`, "for the agent's own web tools; its commands reach any host"} {
		if !strings.Contains(plan, rule) {
			t.Errorf("the plan doesn't tell %q:\n%s", rule, plan)
		}
	}
}
