//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// blabbing is a project with two providers that quote their tokens.
const blabbing = `
secret "A" { env = "TOKEN_A" }
secret "B" { env = "TOKEN_B" }
provider "faulty" "a" { token = secret.A }
provider "faulty" "b" { token = secret.B }
harness "minimal" "m" {}
sandbox "a" {
  provider = provider.faulty.a
  harness  = harness.minimal.m
}
sandbox "b" {
  provider = provider.faulty.b
  harness  = harness.minimal.m
}
`

// A verb that uses several providers knows all of their secrets when it tells
// what one of them said.
func TestNoVerbShowsASecretThatAProviderQuotes(t *testing.T) {
	t.Parallel()
	s := newStage(t, blabbing)
	s.env[0] += ":/usr/local/bin:/usr/bin:/bin"
	s.env = append(s.env, "SANDLOT_PLUGIN_DIR="+filepath.Join(built, "faulty"), `TOKEN_A=a-canary-"55ee77aa`, `TOKEN_B=b-canary-"55ee77aa`)
	for _, block := range []string{"a", "b"} {
		s.run("run", "--sandbox", block, "--run-id", block, "say a").want(t, 1) // without files a sandbox is of no use, and stays
		s.archived(block)
	}
	s.env = append(s.env, "SANDLOT_FAULT=blab")
	for _, c := range []struct {
		verb []string
		code int
	}{
		{[]string{"ps"}, 0},
		{[]string{"ps", "--json"}, 0},
		{[]string{"gc", "--idle", "0s"}, 1},
		{[]string{"gc", "--idle", "0s", "--json"}, 1},
		{[]string{"destroy", "a"}, 1},
		{[]string{"destroy", "b", "--json"}, 1},
	} {
		r := s.run(c.verb...).want(t, c.code)
		if all := r.stdout + r.stderr; strings.Contains(all, "canary") || !strings.Contains(all, "***") {
			t.Errorf("%v says\n%s\n%s", c.verb, r.stdout, r.stderr)
		}
	}
}
