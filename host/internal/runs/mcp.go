package runs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// mcpServers are the servers of a workspace as the harness is told of them; expand
// gives the text of a value.
func mcpServers(w config.Workspace, expand func([]config.Part) (string, error)) ([]harness.MCPServer, error) {
	var all []harness.MCPServer
	for _, s := range w.MCP {
		headers, err := mcpValues(s.Headers, expand)
		if err != nil {
			return nil, fmt.Errorf("headers of MCP server %q: %w", s.Name, err)
		}
		env, err := mcpValues(s.Env, expand)
		if err != nil {
			return nil, fmt.Errorf("environment of MCP server %q: %w", s.Name, err)
		}
		all = append(all, harness.MCPServer{Name: s.Name, URL: s.URL, Headers: headers, Command: s.Command, Args: s.Args, Env: env})
	}
	return all, nil
}

func mcpValues(values map[string]config.Value, expand func([]config.Part) (string, error)) ([]harness.MCPValue, error) {
	var all []harness.MCPValue
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := values[name]
		text, err := expand(v.Parts)
		if err != nil {
			return nil, err
		}
		all = append(all, harness.MCPValue{Name: name, Value: text, Secret: len(v.Secrets()) > 0})
	}
	return all, nil
}

// withoutSecrets is the text of a value for those who needn't know its secrets.
func withoutSecrets(parts []config.Part) (string, error) {
	var b strings.Builder
	for _, p := range parts {
		if p.Secret != "" {
			b.WriteString("***")
		}
		b.WriteString(p.Text)
	}
	return b.String(), nil
}

// Unreached says which MCP servers of a spec its agent isn't told of, since its
// harness can't; empty: it is told of all.
func Unreached(spec *config.Spec, traits harness.Traits) string {
	var names []string
	for _, s := range spec.Workspace.MCP {
		by := harness.MCPHTTP
		if s.Command != "" {
			by = harness.MCPStdio
		}
		if !slices.Contains(traits.MCP, by) {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("the agent isn't told of the MCP servers %s: harness %s can't hand them over", strings.Join(names, ", "), spec.Harness.Type)
}

// sayUnreached warns of servers that the agent isn't told of.
func (p *pump) sayUnreached(ctx context.Context, traits harness.Traits) {
	if text := Unreached(p.record.Spec, traits); text != "" {
		p.log.host(ctx, warning("mcp_unsupported", text))
	}
}
