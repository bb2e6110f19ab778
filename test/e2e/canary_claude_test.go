//go:build linux

package e2e

import (
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// The model says the secret letter by letter, thinks it, writes it into a file, and
// has Claude Code's own tools print it.
func TestACanaryIsNowhereAfterARunOfClaude(t *testing.T) {
	t.Parallel()
	secrets := newSecrets()
	var spoken modelserver.Turn
	for _, letter := range "I think of " + secrets[0] {
		spoken.Parts = append(spoken.Parts, modelserver.Thought(string(letter)))
	}
	for _, letter := range "It is " + secrets[0] + ".\n" + secrets[1] + "\n" {
		spoken.Parts = append(spoken.Parts, modelserver.Text(string(letter)))
	}
	spoken.Parts = append(spoken.Parts, modelserver.Call{Name: "Write", Arguments: map[string]any{"file_path": "written", "content": secrets[0] + "\n" + secrets[1]}})
	c := newClaude(t, modelserver.Script{
		bash(`printf %s "$TOKEN" | sha256sum >proof`), bash("sh spill.sh"), bash("sh spill.sh >&2; exit 3"), spoken,
		bash("cat written; cat none-$TOKEN"), modelserver.Say("The last word is ", secrets[0][:9], secrets[0][9:]),
	})
	c.write("sandlot.hcl", `
harness "claude-code" "claude" {}
secret "ANTHROPIC_API_KEY" { env = "ANTHROPIC_API_KEY" }
sandbox "s" {
  provider  = provider.localprocess.here
  harness   = harness.claude-code.claude
  workspace = workspace.w
  policy    = policy.free
}`+leakyWorkspace+`
  secrets = [secret.TOKEN, secret.KEY, secret.ANTHROPIC_API_KEY]
}`)
	l := leaks(c.stage, secrets)
	r := l.run("run", "--run-id", "r", "--log-level", "trace", "Spill").want(t, 0)
	l.told("run", r)
	l.proven()
	l.clean()
	l.replaced()
	if !strings.Contains(r.stdout, "It is ***") || !strings.Contains(r.stdout, "The last word is ***") {
		t.Errorf("the model's words aren't told: %s", clip(r.stdout))
	}
	if got := l.file("written"); !strings.HasPrefix(got, secrets[0]) {
		t.Errorf("the file holds %q", got)
	}
}
