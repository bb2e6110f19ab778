package config

import (
	"cmp"

	"github.com/hashicorp/hcl/v2"

	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// workspaceBody is the body of a workspace block.
type workspaceBody struct {
	Env     map[string]schema.Secret `hcl:"env,optional" doc:"Environment of every command; values may hold secrets."`
	Secrets []schema.Secret          `hcl:"secrets,optional" doc:"Secrets put into the environment under their names." example:"[secret.ANTHROPIC_API_KEY]"`
	Source  *sourceBody              `hcl:"source,block" doc:"Where the files come from; none is an empty folder."`
	Scripts map[string]string        `hcl:"scripts,optional" doc:"Commands by name, which the rules of a policy may name." example:"{ test = \"npm test\" }"`
	MCP     []mcpBody                `hcl:"mcp,block" doc:"A server of the Model Context Protocol whose tools the agent may call."`
	Setup   []setupBody              `hcl:"setup,block" doc:"Commands that make a new sandbox ready, one shell a block."`
}

func (l *loader) decodeWorkspaces() hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, b := range l.blocks["workspace"] {
		d := l.hostDecoder("workspace")
		d.refuse = func(path string, b *hcl.Block) *hcl.Diagnostic {
			return cmp.Or(refuseSource(path, b), refuseMCP(path, b))
		}
		s, err := schema.Of(workspaceBody{})
		if err != nil {
			return hcl.Diagnostics{problem(&b.DefRange, "Error in sandlot", "%s.", err)}
		}
		// The tree keeps the parts of a value, which the struct's Secret couldn't.
		out, more := d.decode(b, s)
		ws := &Workspace{Name: b.Labels[0], Env: map[string]Value{}}
		source, wrong := l.source(out)
		more = append(more, wrong...)
		ws.Source = source
		if !more.HasErrors() {
			ws.Setup, wrong = setupOf(out)
			more = append(more, wrong...)
			ws.MCP, wrong = l.serversOf(out)
			more = append(more, wrong...)
		}
		env, _ := out.tree["env"].(map[string]any)
		for name, value := range env {
			if !variableName.MatchString(name) {
				more = append(more, problem(out.ranges.at(schema.Key("env", name)).Ptr(), "Invalid name",
					"%q can't be the name of an environment variable: letters, digits and underscores only.", name))
			}
			ws.Env[name], _ = value.(Value)
		}
		ws.Scripts, wrong = scriptsOf(out)
		more = append(more, wrong...)
		list, _ := out.tree["secrets"].([]any)
		for i, value := range list {
			v, _ := value.(Value)
			if len(v.Parts) != 1 || v.Parts[0].Secret == "" {
				more = append(more, problem(out.ranges.at(schema.Index("secrets", i)).Ptr(), "Not a secret",
					"\"secrets\" is a list of references such as secret.GH. For a value made of secrets use env = { NAME = ... }."))
				continue
			}
			ws.Secrets = append(ws.Secrets, v.Parts[0].Secret)
		}
		diags = append(diags, more...)
		l.project.workspace[ws.Name] = ws
	}
	return diags
}
