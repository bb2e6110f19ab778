package config_test

import (
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

func TestWhatMakesAnotherPlace(t *testing.T) {
	const source = "workspace \"w\" {\n  source \"git\" {\n    url = \"https://example.com/a.git\"\n    ref = \"main\"\n  }\n"
	before := strings.Replace(keyed, `workspace "w" {`, source, 1)
	for _, c := range []struct {
		name, old, new string
		same           bool
	}{
		{"nothing has changed", `K = "v"`, `K = "v"`, true},
		{"the environment", `K = "v"`, `K = "w"`, true},
		{"the branch", `ref = "main"`, `ref = "dev"`, true},
		{"the repository", `example.com/a.git`, `example.com/b.git`, false},
		{"no source any more", source, "workspace \"w\" {\n", false},
		{"the provider's configuration", `image   = "debian:12"`, `image = "debian:13"`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(before, c.old) {
				t.Fatalf("the configuration has no %q", c.old)
			}
			if got := config.SamePlace(only(t, before), only(t, strings.Replace(before, c.old, c.new, 1))); got != c.same {
				t.Errorf("the same place: %v, want %v", got, c.same)
			}
		})
	}
	one, other := only(t, before), only(t, before)
	other.Provider.Type = "another"
	if config.SamePlace(one, other) {
		t.Error("another provider is the same place")
	}
}
