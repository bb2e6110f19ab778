//go:build linux

package e2e

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestWhatIsLostUnderAnAgentInAContainerIsToldAsThat ends the container, or only
// the guest in it, while an agent is at work.
func TestWhatIsLostUnderAnAgentInAContainerIsToldAsThat(t *testing.T) {
	t.Parallel()
	const (
		duplex    = "write began: x\nrun until [ -e go ]; do sleep 0.1; done"
		journaled = "append began\nsay before\nawait go\nsay after\nexit 0"
	)
	guest := func(d *inDocker, id string) {
		d.engine("exec", id, "sh", "-c", `for p in /proc/[0-9]*; do case $(tr "\\0" " " <$p/cmdline) in */guest\ serve*) kill -9 ${p#/proc/} ;; esac; done`)
	}
	for _, c := range []struct {
		name   string
		prompt string
		lose   func(d *inDocker, id string)
		code   int
		reason string // empty: it is completed
	}{
		{"a killed container", duplex, func(d *inDocker, id string) { d.engine("kill", id) }, 3, "agent_lost"},
		{"a removed container", duplex, func(d *inDocker, id string) { d.engine("rm", "-f", id) }, 1, "sandbox_gone"},
		{"the guest, which a duplex agent hangs on", duplex, guest, 3, "agent_lost"},
		{"the guest, which a journaled agent doesn't need", journaled, guest, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := dockerExample(t, imageBusybox)
			if c.prompt == journaled {
				d.edit("harness  = harness.acp.demo", "harness  = harness.minimal.m")
				d.edit(`harness "acp" "demo" {`, "harness \"minimal\" \"m\" {}\nharness \"acp\" \"demo\" {")
			}
			d.run("run", "--detach", "--approve", "yes", "--run-id", "r", c.prompt).want(t, 0)
			var id string
			until(t, time.Minute, "the agent is at work", func() bool {
				for _, id = range d.containers() {
					if exec.Command("docker", "exec", id, "test", "-e", "began").Run() == nil {
						return true
					}
				}
				return false
			})
			c.lose(d, id)
			_ = exec.Command("docker", "exec", id, "touch", "go").Run() // where somebody is still there
			r := d.run("attach", "--json", "r").want(t, c.code)
			switch end := last(t, r).Event; {
			case end.Code != c.reason:
				t.Errorf("the run ends with %q: %s", end.Code, end.Message)
			case c.reason == "" && strings.Join(strings.Fields(text(r.events(t))), " ") != "before after":
				t.Errorf("the agent said %q", text(r.events(t)))
			}
		})
	}
}
