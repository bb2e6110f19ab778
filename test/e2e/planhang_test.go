//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAPlanWithAProviderThatHangsEndsAndSaysWhichDoes has it hang at each step on
// the way to its answer. Nothing is said of the harness, which is sound.
func TestAPlanWithAProviderThatHangsEndsAndSaysWhichDoes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, hang, fault string
		code              int
		say               string
	}{
		{"when it is asked what it is", "", "describe", 2, "describe FILE: it did not answer within 5s: it hangs, or is no plugin"},
		{"when it is started", "", "handshake", 1, "start sandlot-provider-faulty: it runs and did not say within 10s how to reach it: it hangs, or is no plugin"},
		{"when it is configured", "configure", "on", 1, "configure sandlot-provider-faulty: no answer within 20s: it hangs, or what it works with does"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, strings.Replace(stuck, `hang = "destroy"`, `hang = "`+c.hang+`"`, 1))
			s.env[0] += ":/usr/local/bin:/usr/bin:/bin"
			s.env = append(s.env, "SANDLOT_PLUGIN_DIR="+filepath.Join(built, "faulty"), "SANDLOT_FAULT="+c.fault)
			began := time.Now()
			r := s.run("plan", "--sandbox", "stuck").want(t, c.code)
			if took := time.Since(began); took > time.Minute {
				t.Errorf("it took %s", took)
			}
			told := r.stdout + r.stderr
			if want := strings.Replace(c.say, "FILE", filepath.Join(built, "faulty", "sandlot-provider-faulty"), 1); !strings.Contains(told, want) {
				t.Errorf("it says %q, want %q", told, want)
			}
			if strings.Contains(told, "sandlot-harness-minimal") {
				t.Errorf("the harness is blamed: %s", told)
			}
			s.pluginsGone()
		})
	}
}
