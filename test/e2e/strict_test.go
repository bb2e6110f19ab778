//go:build linux

package e2e

import (
	"strings"
	"testing"
)

// TestAStrictPolicyNeedsSomebodyToHoldIt has an agent that neither asks nor has
// rules: a strict policy refuses the run, and another one is told of.
func TestAStrictPolicyNeedsSomebodyToHoldIt(t *testing.T) {
	s := newStage(t, minimal+"policy \"p\" {\n  strict = true\n  default = \"allow\"\n  commands { deny = [\"rm *\"] }\n}\n")
	s.edit("harness  = harness.minimal.m", "harness  = harness.minimal.m\n  policy   = policy.p")
	const names = `policy "p" is strict, and with harness minimal nobody holds commands "rm *" = deny`
	if r := s.run("run", "say x").want(t, 2); !strings.Contains(r.stderr, names) {
		t.Errorf("run says %q", r.stderr)
	}
	if r := s.run("runs").want(t, 0); strings.Contains(r.stdout, "failed") {
		t.Errorf("there is a run: %s", r.stdout)
	}
	if r := s.run("plan").want(t, 1); !strings.Contains(r.stdout, names) || !strings.Contains(r.stdout, "by nobody") {
		t.Errorf("plan says %q", r.stdout)
	}
	s.edit("strict = true", "strict = false")
	if r := s.run("plan").want(t, 0); !strings.Contains(r.stdout, `policy rule commands "rm *" = deny is held by nobody`) {
		t.Errorf("plan says %q", r.stdout)
	}
}
