package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

func TestAVersionIsAskedForWhereAnOldOneWouldHoldNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		config config
		start  harness.Start
		args   string // that it is asked with; empty: it isn't
	}{
		{"with a key", config{}, harness.Start{Policy: free(), AuthMode: authKey}, "--version"},
		{"under a policy that asks", config{}, harness.Start{Policy: asks().Policy, AuthMode: authHost}, "--version"},
		{"under a policy that denies a command", config{}, harness.Start{Policy: harness.Policy{Default: "allow", Deny: []string{"sudo"}}, AuthMode: authHost}, "--version"},
		{"with a login of its own, where all is allowed", config{}, harness.Start{Policy: free(), AuthMode: authHost}, ""},
		{"behind another program", config{Command: []string{"nice", "-n", "5", "claude"}}, harness.Start{Policy: free(), AuthMode: authKey}, "-n 5 claude --version"},
	} {
		t.Run(c.name, func(t *testing.T) {
			programs := play(t, c.config, c.start).launch(t).Programs
			if len(programs) != 1 || programs[0].Name != c.config.command()[0] {
				t.Fatalf("programs: %+v", programs)
			}
			v := programs[0].Version
			if v == nil {
				v = &harness.Version{}
			}
			if diff := cmp.Diff(c.args, strings.Join(v.Args, " ")); diff != "" {
				t.Error(diff)
			}
			if c.args != "" && (v.From != guardedFrom || !strings.Contains(v.Why, "settings.json")) {
				t.Errorf("got %+v", v)
			}
		})
	}
}
