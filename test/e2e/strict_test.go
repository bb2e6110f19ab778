//go:build linux

package e2e

import (
	"strings"
	"testing"
)

// TestAStrictPolicyNeedsSomebodyToHoldIt has an agent that neither asks nor has
// rules: a strict policy refuses the run, and another one is told of.
func TestAStrictPolicyNeedsSomebodyToHoldIt(t *testing.T) {
	t.Parallel()
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

// TestPlanTellsHowEachHarnessHoldsThePolicy has harnesses of three kinds: each call
// is put to the policy, the agent asks about some, and it asks about nothing.
func TestPlanTellsHowEachHarnessHoldsThePolicy(t *testing.T) {
	t.Parallel()
	s := newStage(t, `
provider "localprocess" "here" {}
harness "claude-code" "each" { command = ["/bin/sh"] }
harness "acp" "some" { command = ["/bin/sh"] }
harness "minimal" "none" {}
policy "p" {
  default    = "ask"
  file_write = "deny"
  strict     = true
  commands {
    allow = ["ls *"]
    deny  = ["rm *"]
  }
}
sandbox "s" {
  provider = provider.localprocess.here
  harness  = harness.claude-code.each
  policy   = policy.p
}
`)
	for _, c := range []struct {
		harness     string
		code        int
		deny, asked string
	}{
		{"each", 0, "by sandlot  denied before the call is made", "by sandlot  put to you before the call is made"},
		{"some", 0, "by sandlot  denied; the agent must ask", "by sandlot  put to you; the agent must ask"},
		{"none", 1, "by nobody  the agent neither asks nor has rules", "by nobody  the agent neither asks nor has rules"},
	} {
		t.Run(c.harness, func(t *testing.T) {
			got := s.run("plan", "--harness", c.harness).want(t, c.code).stdout
			for rule, how := range map[string]string{`commands "rm *"  deny   `: c.deny, "file_write       deny   ": c.deny, "default          ask    ": c.asked} {
				if !strings.Contains(got, rule+how) {
					t.Errorf("no %q in\n%s", rule+how, got)
				}
			}
			if refused := strings.Contains(got, `policy "p" is strict, and with harness minimal nobody holds`); refused != (c.code != 0) {
				t.Errorf("it says\n%s", got)
			}
		})
	}
}
