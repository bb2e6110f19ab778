package main

import (
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

func TestAnAgentIsToldOfTheServersThatItCanReach(t *testing.T) {
	servers := []harness.MCPServer{
		{Name: "web", URL: "https://example.com/mcp", Headers: []harness.MCPValue{{Name: "A", Value: "b", Secret: true}}},
		{Name: "local", Command: "npx", Env: []harness.MCPValue{{Name: "T", Value: "u", Secret: true}}},
	}
	const web = `{"headers":[{"name":"A","value":"b"}],"name":"web","type":"http","url":"https://example.com/mcp"}`
	const local = `{"args":[],"command":"npx","env":[{"name":"T","value":"u"}],"name":"local"}`
	for _, c := range []struct {
		name, capable, want string
		warned              bool
	}{
		{"one that reaches servers by HTTP", `"mcpCapabilities":{"http":true}`, web + "," + local, false},
		{"one that doesn't", ``, local, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			greeting := `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{` + c.capable + `}}}`
			p := play(t, config{}, harness.Start{MCP: servers}, prints(greeting, opened, endTurn))
			if got := p.written()[1]; !strings.Contains(got, `"mcpServers":[`+c.want+`]`) {
				t.Errorf("it is told %s", got)
			}
			events := strings.Join(p.events(), "\n")
			if got := strings.Count(events, "mcp_unsupported"); got != map[bool]int{true: 1}[c.warned] {
				t.Errorf("%d warnings: %s", got, events)
			}
		})
	}
}
