package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func servers2() []harness.MCPServer {
	return []harness.MCPServer{
		{
			Name: "web", URL: "https://example.com/mcp",
			Headers: []harness.MCPValue{{Name: "Authorization", Value: "Bearer hunter2", Secret: true}, {Name: "X-Plain", Value: "a$b"}},
		},
		{
			Name: "local", Command: "npx", Args: []string{"-y", "as ${IT} stands"},
			Env: []harness.MCPValue{{Name: "TOKEN", Value: "hunter3", Secret: true}},
		},
	}
}

func TestServersAreAFileWhoseSecretsAreVariables(t *testing.T) {
	p := play(t, config{}, harness.Start{
		Policy: free(), MCP: servers2(), Isolation: sandbox.IsolationNone, Workspace: harness.Workspace{StateDir: "/state"},
	}, prints(initLine, wellDone))
	const file = `{
  "mcpServers": {
    "local": {
      "command": "npx",
      "args": [
        "-y",
        "${SANDLOT_MCP_3}"
      ],
      "env": {
        "TOKEN": "${SANDLOT_MCP_2}"
      }
    },
    "web": {
      "type": "http",
      "url": "https://example.com/mcp",
      "headers": {
        "Authorization": "${SANDLOT_MCP_1}",
        "X-Plain": "a$b"
      }
    }
  }
}`
	var got []string
	for _, f := range sentOf[*harness.Provision](p)[0].Files {
		got = append(got, f.Path, string(f.Data))
		if f.Mode != 0 {
			t.Errorf("%s has mode %o, not that of a file of ours", f.Path, f.Mode)
		}
	}
	if diff := cmp.Diff([]string{"mcp.json", file}, got); diff != "" {
		t.Errorf("files (-want +got)\n%s", diff)
	}
	l := p.launch(t)
	want := map[string]string{"SANDLOT_MCP_1": "Bearer hunter2", "SANDLOT_MCP_2": "hunter3", "SANDLOT_MCP_3": "as ${IT} stands"}
	for name, value := range want {
		if l.Env[name] != value {
			t.Errorf("%s is %q, want %q", name, l.Env[name], value)
		}
	}
	argv := strings.Join(l.Argv, " ")
	if !strings.Contains(argv, " --mcp-config=/state/mcp.json ") || !strings.HasSuffix(argv, " mcp__web mcp__local") || strings.Contains(argv, "hunter") {
		t.Errorf("argv: %s", argv)
	}
}

func TestAServerThatFailsIsTold(t *testing.T) {
	const states = `[{"name":"web","status":"failed"},{"name":"local","status":"connected"},{"name":"of-a-file","status":"failed"}]`
	for _, c := range []struct{ name, states, want string }{
		{"one that can't be reached", states, `the MCP server "web" could not be reached`},
		{"one that wants a login", strings.Replace(states, "failed", "needs-auth", 1), `the MCP server "web" wants a login`},
		{"all that are ours work", strings.Replace(states, "failed", "connected", 1), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			line := `{"type":"system","subtype":"init","session_id":"s1","mcp_servers":` + c.states + `}`
			p := play(t, config{}, harness.Start{Policy: free(), MCP: servers2()}, prints(line, wellDone))
			var told []string
			for _, e := range p.events() {
				if strings.Contains(e, "mcp_server_failed") {
					told = append(told, e)
				}
			}
			if len(told) != min(len(c.want), 1) || c.want != "" && !strings.Contains(strings.ReplaceAll(told[0], `\"`, `"`), c.want) {
				t.Errorf("told: %q", told)
			}
		})
	}
}
