//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// signIn leaves a login of Claude Code in the user's home, with this token.
func (c *claude) signIn(token string) {
	c.t.Helper()
	for _, e := range c.env {
		if home, ok := strings.CutPrefix(e, "HOME="); ok {
			must(c.t, os.MkdirAll(filepath.Join(home, ".claude"), 0o700))
			login := fmt.Sprintf(`{"claudeAiOauth":{"accessToken":%q,"refreshToken":"none","expiresAt":%d,"scopes":["user:inference","user:profile"],"subscriptionType":"max"}}`,
				token, time.Now().Add(24*time.Hour).UnixMilli())
			must(c.t, os.WriteFile(filepath.Join(home, ".claude", ".credentials.json"), []byte(login), 0o600))
		}
	}
}

// TestWhoPaysForClaude has a key, and the user's login, where nothing isolates the
// agent from either.
func TestWhoPaysForClaude(t *testing.T) {
	t.Parallel()
	const withKey, without = `workspace "scratch" { secrets = [secret.ANTHROPIC_API_KEY] }`, `workspace "scratch" {}`
	for _, c := range []struct {
		name            string
		mode, workspace string
		key, login      bool // there is one that the service takes; else no key, and a login that it doesn't take
		code            int
	}{
		{"the key, where there is a login too", "api-key", withKey, true, false, 0},
		{"nobody, where a login is all there is", "api-key", without, false, true, 3},
		{"the login, where it is asked for", "host", without, false, true, 0},
		{"the key of the user's environment before the login, as claude has it", "host", without, true, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var script modelserver.Script
			if c.code == 0 {
				script = modelserver.Script{modelserver.Say("hello")}
			}
			claude := newClaude(t, script)
			claude.harness(`auth_mode = "` + c.mode + `"`)
			claude.edit(withKey, c.workspace)
			if !c.key {
				claude.without("ANTHROPIC_API_KEY")
			}
			token := "another-token"
			if c.login {
				token = claude.model.Key()
			}
			claude.signIn(token)
			r := claude.run("run", "--json", "Begin").want(t, c.code)
			events := r.events(t)
			whole(t, events)
			last := events[len(events)-1].Event
			if c.code != 0 && last.Code != "bad_key" || c.code == 0 && text(events) != "hello" {
				t.Errorf("the agent said %q, and the run ends with %s: %s", text(events), last.Code, last.Message)
			}
		})
	}
}
