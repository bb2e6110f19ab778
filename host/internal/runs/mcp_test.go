package runs

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

func TestServersThatAHarnessCanNotHandOverAreNamed(t *testing.T) {
	spec := &config.Spec{
		Harness:   config.Harness{Plugin: config.Plugin{Type: "small"}},
		Workspace: config.Workspace{MCP: []config.MCPServer{{Name: "a", URL: "u"}, {Name: "b", Command: "c"}, {Name: "d", URL: "u"}}},
	}
	for _, c := range []struct {
		name string
		can  []harness.MCPTransport
		want string
	}{
		{"one that can do all", []harness.MCPTransport{harness.MCPStdio, harness.MCPHTTP}, ""},
		{"one that can't reach any by HTTP", []harness.MCPTransport{harness.MCPStdio}, "the agent isn't told of the MCP servers a, d: harness small can't hand them over"},
		{"one that knows no servers", nil, "the agent isn't told of the MCP servers a, b, d: harness small can't hand them over"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Unreached(spec, harness.Traits{MCP: c.can}); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAServerIsToldWithItsSecrets(t *testing.T) {
	w := config.Workspace{MCP: []config.MCPServer{{
		Name: "a", URL: "u", Headers: map[string]config.Value{
			"Z": config.Text("plain"), "A": {Parts: []config.Part{{Text: "Bearer "}, {Secret: "S"}}},
		},
	}}}
	got, err := mcpServers(w, withoutSecrets)
	want := []harness.MCPServer{{Name: "a", URL: "u", Headers: []harness.MCPValue{{Name: "A", Value: "Bearer ***", Secret: true}, {Name: "Z", Value: "plain"}}}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}
