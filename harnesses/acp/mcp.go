package main

import (
	"fmt"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// servers are the MCP servers as a session is opened with them. Every agent takes
// those that it starts itself; of the others it says whether it does, and those that
// it doesn't are left out.
func (t *turn) servers() []any {
	all := []any{}
	var out []string
	for _, s := range t.s.Start().MCP {
		switch {
		case s.URL == "":
			args := s.Args
			if args == nil {
				args = []string{}
			}
			all = append(all, object{"name": s.Name, "command": s.Command, "args": args, "env": pairs(s.Env)})
		case t.agent.Capabilities.MCP.HTTP:
			all = append(all, object{"type": "http", "name": s.Name, "url": s.URL, "headers": pairs(s.Headers)})
		default:
			out = append(out, s.Name)
		}
	}
	if len(out) > 0 && !t.without {
		t.without = true
		t.warn("mcp_unsupported", fmt.Sprintf("the agent reaches no MCP servers by HTTP, so it isn't told of %s; "+
			"a server that is started by a command would do", strings.Join(out, ", ")))
	}
	return all
}

func pairs(values []harness.MCPValue) []any {
	all := []any{}
	for _, v := range values {
		all = append(all, object{"name": v.Name, "value": v.Value})
	}
	return all
}
