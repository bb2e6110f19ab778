//go:build linux

package e2e

import (
	"strings"
	"testing"
)

// What only the plugin can find fault with is told with the line of the
// configuration, whether it says so at its start or when it makes the sandbox.
func TestWhatOnlyThePluginRefusesIsToldWithItsLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, old, now, want string }{
		{"a value that the harness refuses", `["sandlot-demo-agent"]`, `["", "x"]`, `sandlot.hcl:3: start harness "acp" "demo", attribute command`},
		{"a value that the provider refuses as it makes the sandbox", `"here" {}`, "\"here\" {\n  dir = \"nowhere\"\n}", "sandlot.hcl:3: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newDemo(t)
			s.edit(c.old, c.now)
			s.run("validate").want(t, 0)
			r := s.run("run", "say hello")
			if r.code == 0 || !strings.Contains(r.stdout+r.stderr, c.want) {
				t.Errorf("exit code %d, want %q\nstdout: %s\nstderr: %s", r.code, c.want, clip(r.stdout), clip(r.stderr))
			}
		})
	}
}
