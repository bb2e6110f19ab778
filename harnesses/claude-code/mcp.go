package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// fileMCP says which MCP servers there are.
const fileMCP = "mcp.json"

// servers are what the CLI is told of MCP servers: a file in the run's own folder,
// in which every secret is a reference to a variable of the CLI's environment.
type servers struct {
	file []byte            // nil: there are none
	env  map[string]string // what the file refers to
}

// serverEntry is a server in the CLI's file.
type serverEntry struct {
	Type    string            `json:"type,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
}

func serversOf(list []harness.MCPServer) servers {
	if len(list) == 0 {
		return servers{}
	}
	out := servers{env: map[string]string{}}
	entries := map[string]serverEntry{}
	for _, s := range list {
		e := serverEntry{Headers: out.values(s.Headers), Env: out.values(s.Env)}
		if s.URL != "" {
			e.Type, e.URL = "http", out.text(s.URL, false)
		} else {
			e.Command = out.text(s.Command, false)
			for _, arg := range s.Args {
				e.Args = append(e.Args, out.text(arg, false))
			}
		}
		entries[s.Name] = e
	}
	file, err := json.MarshalIndent(object{"mcpServers": entries}, "", "  ")
	if err != nil {
		panic(err) // strings always encode
	}
	out.file = file
	return out
}

func (s *servers) values(list []harness.MCPValue) map[string]string {
	out := make(map[string]string, len(list))
	for _, v := range list {
		out[v.Name] = s.text(v.Value, v.Secret)
	}
	return out
}

// text is a value as the file has it. The CLI replaces ${NAME} by a variable, also
// where that was meant as it stands: such a text is a reference itself.
func (s *servers) text(value string, secret bool) string {
	if !secret && !strings.Contains(value, "${") {
		return value
	}
	name := fmt.Sprintf("SANDLOT_MCP_%d", len(s.env)+1)
	s.env[name] = value
	return "${" + name + "}"
}

// mcpTools are rules that allow the tools of all servers: the CLI has none for any
// server.
func mcpTools(list []harness.MCPServer) []string {
	var out []string
	for _, s := range list {
		out = append(out, "mcp__"+s.Name)
	}
	return out
}

// serverState is what the CLI's first line tells of a server.
type serverState struct {
	Name   string `json:"name"`
	Status string `json:"status"`
}

// unconnected warns of servers of ours that the CLI can't use. Those of settings
// files are none of ours.
func (t *turn) unconnected(states []serverState) {
	for _, s := range states {
		ours := slices.ContainsFunc(t.s.Start().MCP, func(o harness.MCPServer) bool { return o.Name == s.Name })
		switch {
		case !ours:
		case s.Status == "failed":
			t.warn("mcp_server_failed", fmt.Sprintf("the MCP server %q could not be reached, so the agent works without its tools: "+
				"check its url or command and that it can be reached from the sandbox", s.Name))
		case s.Status == "needs-auth":
			t.warn("mcp_server_failed", fmt.Sprintf("the MCP server %q wants a login, so the agent works without its tools: "+
				"give a token in its headers", s.Name))
		}
	}
}
