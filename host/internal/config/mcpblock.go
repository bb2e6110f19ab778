package config

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// mcpBody is the body of an mcp block.
type mcpBody struct {
	Name    string                   `hcl:"name,label"`
	URL     string                   `hcl:"url,optional" doc:"Address of a server that is reached over HTTP." example:"\"https://mcp.example.com\""`
	Headers map[string]schema.Secret `hcl:"headers,optional" doc:"Headers of each request to it; values may hold secrets." example:"{ Authorization = bearer(secret.GH) }"`
	Command string                   `hcl:"command,optional" doc:"Program of a server that the agent starts and talks to over its stdin and stdout, in the sandbox." example:"\"npx\""`
	Args    []string                 `hcl:"args,optional" doc:"Its arguments." example:"[\"-y\", \"@acme/mcp\"]"`
	Env     map[string]schema.Secret `hcl:"env,optional" doc:"Environment of it, beside the agent's; values may hold secrets."`
}

// serverName is what a server may be called: its tools have the name in theirs,
// as in mcp__NAME__tool, so it must not be read as two.
var serverName = regexp.MustCompile(`^[A-Za-z0-9]([_-]?[A-Za-z0-9])*$`)

// headerName is what HTTP calls a token.
var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

const longestServerName = 32

// refuseMCP refuses a server by its name, before its body.
func refuseMCP(path string, b *hcl.Block) *hcl.Diagnostic {
	if path != "mcp" {
		return nil
	}
	if name := b.Labels[0]; !serverName.MatchString(name) || len(name) > longestServerName {
		return problem(&b.LabelRanges[0], "Invalid name",
			"The name of a server becomes a part of its tools' names, so it has letters, digits and single _ or - between them, at most %d; %q isn't so.", longestServerName, name)
	}
	return nil
}

// serversOf checks the decoded mcp blocks.
func (l *loader) serversOf(out *decoded) ([]MCPServer, hcl.Diagnostics) {
	var all []MCPServer
	var diags hcl.Diagnostics
	blocks, _ := out.tree["mcp"].([]any)
	for i, block := range blocks {
		tree, _ := block.(map[string]any)
		path := schema.Index("mcp", i)
		s := MCPServer{Headers: valuesOf(tree["headers"]), Env: valuesOf(tree["env"]), Args: stringsOf(tree["args"])}
		s.Name, _ = tree["name"].(string)
		s.URL, _ = tree["url"].(string)
		s.Command, _ = tree["command"].(string)
		if slices.ContainsFunc(all, func(o MCPServer) bool { return o.Name == s.Name }) {
			diags = append(diags, problem(out.ranges.at(path).Ptr(), "Duplicate server", "There is another mcp block %q in this workspace. Rename one of them.", s.Name))
		}
		l.hidePassword(s.URL)
		diags = append(diags, checkServer(s, path, out)...)
		all = append(all, s)
	}
	return all, diags
}

func checkServer(s MCPServer, path string, out *decoded) hcl.Diagnostics {
	at := func(name string) *hcl.Range { return out.ranges.at(schema.Attr(path, name)).Ptr() }
	given := func(name string) bool { _, ok := out.ranges[schema.Attr(path, name)]; return ok }
	var diags hcl.Diagnostics
	misplaced := func(names []string, need string) {
		for _, name := range names {
			if given(name) {
				diags = append(diags, problem(at(name), "Unsupported argument", "%q belongs to a server with %q.", name, need))
			}
		}
	}
	switch {
	case given("url") && given("command"):
		return append(diags, problem(at("command"), "Two ways", "A server is reached at \"url\" or started by \"command\". Keep one."))
	case !given("url") && !given("command"):
		return append(diags, problem(at(""), "Missing argument",
			"Say how server %q is reached: url = \"https://...\", or command = \"PROGRAM\" for one that the agent starts.", s.Name))
	case given("command"):
		misplaced([]string{"headers"}, "url")
		if strings.TrimSpace(s.Command) == "" {
			diags = append(diags, problem(at("command"), "No command", "\"command\" names no program."))
		} else if !given("args") && strings.ContainsAny(s.Command, " \t") {
			diags = append(diags, problem(at("command"), "Invalid command",
				"There is no shell to take %q apart: name the program in \"command\" and the rest in \"args\".", s.Command))
		}
	default:
		misplaced([]string{"args", "env"}, "command")
		if u, err := url.Parse(s.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			diags = append(diags, problem(at("url"), "Invalid URL", "The address of a server begins with https:// or http://, such as \"https://mcp.example.com\"."))
		} else if u.User != nil {
			diags = append(diags, problem(at("url"), "Password in a URL", "A URL is kept and shown. Hand a password over as a secret in \"headers\"."))
		}
	}
	for name := range s.Headers {
		if !headerName.MatchString(name) {
			diags = append(diags, problem(out.ranges.at(schema.Key(schema.Attr(path, "headers"), name)).Ptr(), "Invalid name", "%q can't be the name of a header.", name))
		}
	}
	for name := range s.Env {
		if !variableName.MatchString(name) {
			diags = append(diags, problem(out.ranges.at(schema.Key(schema.Attr(path, "env"), name)).Ptr(), "Invalid name",
				"%q can't be the name of an environment variable: letters, digits and underscores only.", name))
		}
	}
	return diags
}

// valuesOf is a decoded map of values; nil if there are none.
func valuesOf(tree any) map[string]Value {
	object, _ := tree.(map[string]any)
	if len(object) == 0 {
		return nil
	}
	all := make(map[string]Value, len(object))
	for name, value := range object {
		all[name], _ = value.(Value)
	}
	return all
}

func stringsOf(tree any) []string {
	list, _ := tree.([]any)
	var all []string
	for _, item := range list {
		text, _ := item.(string)
		all = append(all, text)
	}
	return all
}

// secrets are the names of those that a server is given.
func (s MCPServer) secrets() []string {
	var names []string
	for _, values := range []map[string]Value{s.Headers, s.Env} {
		for _, v := range values {
			names = append(names, v.Secrets()...)
		}
	}
	return names
}
