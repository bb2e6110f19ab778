package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// Project is a loaded configuration. After an error of Load only Files may be used.
type Project struct {
	folder    string
	files     map[string]*hcl.File
	sandboxes map[string]*sandbox
	providers map[string]*pluginBlock // by "type.name"
	harnesses map[string]*pluginBlock
	workspace map[string]*Workspace
	policies  map[string]*Policy
	secrets   map[string]SecretSource
	values    map[string]string
	required  map[string]Requirement
	scrub     scrubber
}

// Requirement is an entry of required_providers. Whoever launches plugins checks
// it; loading checks only that it is well formed.
type Requirement struct {
	// Source such as "acme-inc/acme"; empty if not given.
	Source string
	// Version is a constraint such as "~> 1.2"; empty means any.
	Version string
}

// Folder is the project's absolute folder.
func (p *Project) Folder() string { return p.folder }

// Files are the sources by the names that diagnostics use, for [Render]. What
// stands for a secret's value in them is masked.
func (p *Project) Files() map[string]*hcl.File { return p.files }

// Sandboxes are the names of the sandbox blocks, sorted.
func (p *Project) Sandboxes() []string { return slices.Sorted(maps.Keys(p.sandboxes)) }

// RequiredProviders are the entries of required_providers by plugin type.
func (p *Project) RequiredProviders() map[string]Requirement { return maps.Clone(p.required) }

// SecretValues are the values that stand in the configuration, by secret name.
// Hand them over in memory; they are never stored.
func (p *Project) SecretValues() map[string]string { return maps.Clone(p.values) }

// Sandbox resolves a sandbox block; an empty name means the only one.
func (p *Project) Sandbox(name string) (*Spec, hcl.Diagnostics) {
	return p.SandboxWithHarness(name, "")
}

// SandboxWithHarness is Sandbox with another harness block, named "type.name" or
// by a name that only one harness has; empty means the block's own.
func (p *Project) SandboxWithHarness(name, harness string) (*Spec, hcl.Diagnostics) {
	sb, diags := p.pick(name)
	if sb == nil {
		return nil, diags
	}
	key := sb.harness
	if harness != "" {
		var diag *hcl.Diagnostic
		if key, diag = p.pickHarness(harness); diag != nil {
			return nil, hcl.Diagnostics{diag}
		}
	}
	provider, agent := p.providers[sb.provider], p.harnesses[key]
	spec := &Spec{
		Project: p.folder, Block: sb.name, Provider: provider.plugin,
		Harness:   Harness{Plugin: agent.plugin, Model: agent.model, AuthMode: agent.authMode},
		Policy:    defaultPolicy(),
		Lifecycle: sb.lifecycle, Timeouts: sb.timeouts, Secrets: map[string]SecretSource{},
	}
	names := append(slices.Clone(provider.secrets), agent.secrets...)
	if ws := p.workspace[sb.workspace]; ws != nil {
		spec.Workspace = Workspace{
			Name: ws.Name, Env: maps.Clone(ws.Env), Secrets: slices.Clone(ws.Secrets),
			Source: ws.Source, Setup: slices.Clone(ws.Setup), Scripts: maps.Clone(ws.Scripts), MCP: slices.Clone(ws.MCP),
		}
		names = append(append(names, ws.Secrets...), ws.Source.Token.Secrets()...)
		for _, v := range ws.Env {
			names = append(names, v.Secrets()...)
		}
		for _, s := range ws.MCP {
			names = append(names, s.secrets()...)
		}
	}
	if pol := p.policies[sb.policy]; pol != nil {
		spec.Policy = *pol
	}
	for _, name := range names {
		spec.Secrets[name] = p.secrets[name]
	}
	return spec, nil
}

// Policy is a policy block by its name.
func (p *Project) Policy(name string) (*Policy, hcl.Diagnostics) {
	if pol := p.policies[name]; pol != nil {
		return pol, nil
	}
	known := slices.Sorted(maps.Keys(p.policies))
	if len(known) == 0 {
		return nil, hcl.Diagnostics{problem(nil, "Unknown policy block",
			"There is no policy block %q: the configuration in %s has none.", name, p.folder)}
	}
	return nil, hcl.Diagnostics{problem(nil, "Unknown policy block",
		"There is no policy block %q.%s The configuration has: %s.", name, didYouMean(name, known), strings.Join(known, ", "))}
}

func (p *Project) pick(name string) (*sandbox, hcl.Diagnostics) {
	names := p.Sandboxes()
	switch {
	case name != "" && p.sandboxes[name] != nil:
		return p.sandboxes[name], nil
	case name == "" && len(names) == 1:
		return p.sandboxes[names[0]], nil
	case len(names) == 0:
		return nil, hcl.Diagnostics{problem(nil, "No sandbox block",
			"The configuration in %s has no sandbox block, so there is nothing to run. Add one: sandbox \"NAME\" { ... }.", p.folder)}
	case name == "":
		return nil, hcl.Diagnostics{problem(nil, "Several sandbox blocks",
			"Say which one is meant with --sandbox: %s.", strings.Join(names, ", "))}
	}
	return nil, hcl.Diagnostics{problem(nil, "Unknown sandbox block",
		"There is no sandbox block %q.%s The configuration has: %s.", name, didYouMean(name, names), strings.Join(names, ", "))}
}

func (p *Project) pickHarness(name string) (string, *hcl.Diagnostic) {
	known := slices.Sorted(maps.Keys(p.harnesses))
	var found []string
	for _, key := range known {
		if key == name {
			return key, nil
		}
		if strings.HasSuffix(key, "."+name) {
			found = append(found, key)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", problem(nil, "Unknown harness block",
			"There is no harness block %q.%s The configuration has: %s.", name, didYouMean(name, known), strings.Join(known, ", "))
	}
	return "", problem(nil, "Several harness blocks", "The name %q fits %s: give type and name.", name, strings.Join(found, " and "))
}
