//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// grok is a stage with the real Grok Build, whose model is a script. Its project
// is examples/grok.hcl as it stands: only the environment of sandlot says where
// the model's API is, and with which key.
type grok struct {
	*stage
	model *modelserver.Server
}

func newGrok(t *testing.T, script modelserver.Script) *grok {
	t.Helper()
	program := filepath.Join(top(), ".cache", "agents", "bin", "grok")
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("this test runs the real Grok Build: %v; install it with: make agents", err)
	}
	example, err := os.ReadFile(filepath.Join(top(), "examples", "grok.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	model := modelserver.Start(t, modelserver.Grok(), script)
	g := &grok{stage: newStage(t, string(example)), model: model}
	// Grok runs commands in bash, which the other agents do without.
	path := filepath.Join(t.TempDir(), "agent")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"grok": program, "bash": bash} {
		if err := os.Symlink(target, filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
	}
	g.env = append(g.env, "PATH="+path+":"+built, "XAI_API_KEY="+model.Key())
	for _, name := range baseURLs() {
		g.env = append(g.env, name+"="+model.URL())
	}
	return g
}

// baseURLs are the variables that tell Grok where its services are.
func baseURLs() []string {
	return []string{"GROK_XAI_API_BASE_URL", "XAI_API_BASE_URL", "GROK_MODELS_BASE_URL", "GROK_CLI_CHAT_PROXY_BASE_URL"}
}

func TestGrokAnswers(t *testing.T) {
	said := word()
	g := newGrok(t, modelserver.Script{modelserver.Say("Hello ", "from ", said, ".")})
	r := g.run("run", "--json", "Say hello, "+word()).want(t, 0)
	if got, want := text(r.events(t)), "Hello from "+said+"."; got != want {
		t.Errorf("the agent said %q, want %q", got, want)
	}
	if asked := g.model.Asked(modelserver.Main); len(asked) != 1 || !strings.Contains(string(asked[0].Body), "Say hello") {
		t.Errorf("the model was asked %d times", len(asked))
	}
}
