package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

const served = `
secret "GH" { env = "GH_TOKEN" }
secret "DB" { env = "DB_TOKEN" }
provider "localprocess" "here" {}
harness "acp" "main" { command = ["agent"] }
workspace "w" {
  mcp "web" {
    url     = "https://mcp.example.com"
    headers = { Authorization = bearer(secret.GH), X-Plain = "p" }
  }
  mcp "local-2" {
    command = "npx"
    args    = ["-y", "server"]
    env     = { TOKEN = "x${secret.DB}" }
  }
}
sandbox "s" {
  provider  = provider.localprocess.here
  harness   = harness.acp.main
  workspace = workspace.w
}
`

func TestServersAreResolved(t *testing.T) {
	s := spec(t, load(t, served), "")
	secret := func(before, name string) config.Value {
		return config.Value{Parts: []config.Part{{Text: before}, {Secret: name}}}
	}
	want := []config.MCPServer{
		{Name: "web", URL: "https://mcp.example.com", Headers: map[string]config.Value{"Authorization": secret("Bearer ", "GH"), "X-Plain": config.Text("p")}},
		{Name: "local-2", Command: "npx", Args: []string{"-y", "server"}, Env: map[string]config.Value{"TOKEN": secret("x", "DB")}},
	}
	if diff := cmp.Diff(want, s.Workspace.MCP); diff != "" {
		t.Error(diff)
	}
	if len(s.Secrets) != 2 || s.Secrets["GH"].Env != "GH_TOKEN" || s.Secrets["DB"].Env != "DB_TOKEN" {
		t.Errorf("secrets that the run needs: %+v", s.Secrets)
	}
}

func TestServersDoNotCountInTheKey(t *testing.T) {
	start, end := strings.Index(served, "  mcp"), strings.Index(served, "sandbox \"s\"")
	without := served[:start] + "}\n" + served[end:]
	if keyOf(t, served, "t", "", "") != keyOf(t, without, "t", "", "") {
		t.Error("a sandbox would be made anew for a server that isn't in it")
	}
}

func TestASecretMayNotBeInTheAddressOfAServer(t *testing.T) {
	for _, c := range []struct{ old, now string }{
		{`"https://mcp.example.com"`, `"https://${secret.GH}"`},
		{`["-y", "server"]`, `[secret.GH]`},
		{`"npx"`, `secret.GH`},
	} {
		opts := options(write(t, map[string]string{"sandlot.hcl": strings.Replace(served, c.old, c.now, 1)}), nil)
		_, diags := config.Load(t.Context(), opts)
		if len(diags) != 1 || diags[0].Summary != "Secret out of place" || !strings.Contains(diags[0].Detail, "MCP servers") {
			t.Errorf("%s: %v", c.now, diags)
		}
	}
}
