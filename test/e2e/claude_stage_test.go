//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// claude is a stage with the real Claude Code, whose model is a script. Its
// project is examples/claude-local.hcl as it stands: only the environment of
// sandlot says where the model's API is, and with which key.
type claude struct {
	*stage
	model *modelserver.Server
}

func newClaude(t *testing.T, script modelserver.Script) *claude {
	t.Helper()
	program := claudeProgram(t)
	model := modelserver.Start(t, modelserver.Claude(), script)
	c := &claude{stage: newStage(t, example(t, "claude-local.hcl")), model: model}
	// What its commands need beside bash; git is among the programs under test.
	tools := agentPath(t, "claude", program, "cat", "ls", "touch", "setsid", "sleep")
	c.env = append(c.env, "PATH="+tools+":"+built, "ANTHROPIC_API_KEY="+model.Key(),
		"ANTHROPIC_BASE_URL="+strings.TrimSuffix(model.URL(), "/v1"))
	return c
}

// claudeProgram is the CLI itself.
func claudeProgram(t *testing.T) string {
	t.Helper()
	program, err := filepath.EvalSymlinks(filepath.Join(top(), ".cache", "agents", "bin", "claude"))
	if err != nil {
		t.Fatalf("this test runs the real Claude Code: %v; install it with: make agents", err)
	}
	return program
}

// free has the policy allow everything, so that nobody is asked and the agent
// isn't fed: its run is journaled.
func (c *claude) free() *claude {
	c.t.Helper()
	c.write("sandlot.hcl", `
provider "localprocess" "here" {}
secret "ANTHROPIC_API_KEY" { env = "ANTHROPIC_API_KEY" }
workspace "scratch" { secrets = [secret.ANTHROPIC_API_KEY] }
harness "claude-code" "claude" {}
policy "free" { default = "allow" }
sandbox "claude" {
  provider  = provider.localprocess.here
  harness   = harness.claude-code.claude
  workspace = workspace.scratch
  policy    = policy.free
}
`)
	return c
}

// bash is a turn in which the model has Claude Code run a command.
func bash(command string) modelserver.Turn {
	return modelserver.Use("Bash", map[string]any{"command": command, "description": "as the test says"})
}

// results is what tools have told the model by its last request.
func (c *claude) results() []string {
	c.t.Helper()
	asked := c.model.Asked(modelserver.Main)
	if len(asked) == 0 {
		c.t.Fatal("the model was never asked")
	}
	var all []string
	for _, r := range asked[len(asked)-1].Results {
		all = append(all, r.Text)
	}
	return all
}
