package main

import (
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestAModeThatWeDidNotChooseIsWarnedOf(t *testing.T) {
	for _, c := range []struct {
		name  string
		start harness.Start
		mode  string // that the CLI tells
		want  bool
	}{
		{"under a policy that asks, the one we chose", asks(), "default", false},
		{"under a policy that asks, one that asks nobody", asks(), "bypassPermissions", true},
		{"where all is allowed on this machine, one that only plans", harness.Start{Policy: free()}, "plan", true},
		{"where all is allowed in a sandbox, the one we chose", harness.Start{Policy: free(), Isolation: sandbox.IsolationVM}, "bypassPermissions", false},
		{"where all is allowed in a sandbox, one that asks", harness.Start{Policy: free(), Isolation: sandbox.IsolationVM}, "default", true},
		{"it tells none", asks(), "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			line := strings.Replace(initLine, "{", `{"permissionMode":"`+c.mode+`",`, 1)
			told := strings.Join(play(t, config{}, c.start, prints(line)).events(), "\n")
			if strings.Contains(told, "other_permission_mode") != c.want || c.want && !strings.Contains(told, "mode "+c.mode) {
				t.Errorf("warned: %q", told)
			}
		})
	}
}
