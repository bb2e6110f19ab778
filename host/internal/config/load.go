package config

import (
	"context"
	"maps"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// loader is the state of one Load. It doesn't outlive it.
type loader struct {
	ctx       context.Context
	opts      Options
	files     map[string]*hcl.File
	folder    string
	marks     placeholders
	blocks    map[string][]*hcl.Block // by type, in order
	refs      map[string]map[string]hcl.Range
	variables map[string]*variable
	secrets   map[string]*secret
	vars      map[string]cty.Value
	locals    map[string]cty.Value
	hidden    map[string]bool // names in files of values whose values aren't shown
	opaque    map[string]bool // files of values of which nothing is shown
	bodies    *scope          // see bodyScope
	project   *Project
}

// Load reads, checks and resolves a project. The project is never nil; if the
// diagnostics hold an error, only its Files may be used, to render them. Load
// asks for the schema of each plugin type once.
func Load(ctx context.Context, opts Options) (*Project, hcl.Diagnostics) {
	l := &loader{
		ctx: ctx, opts: opts, marks: newPlaceholders(),
		files: map[string]*hcl.File{}, blocks: map[string][]*hcl.Block{}, refs: map[string]map[string]hcl.Range{},
		variables: map[string]*variable{}, secrets: map[string]*secret{},
		vars: map[string]cty.Value{}, locals: map[string]cty.Value{}, hidden: map[string]bool{}, opaque: map[string]bool{},
		project: &Project{
			sandboxes: map[string]*sandbox{}, providers: map[string]*pluginBlock{}, harnesses: map[string]*pluginBlock{},
			workspace: map[string]*Workspace{}, policies: map[string]*Policy{}, secrets: map[string]SecretSource{},
			values: map[string]string{}, required: map[string]Requirement{},
		},
	}
	if opts.Env == nil {
		l.opts.Env = func(string) (string, bool) { return "", false }
	}
	diags := tidy(l.load())
	sensitive := maps.Clone(l.hidden)
	for name, v := range l.variables {
		sensitive[name] = sensitive[name] || v.sensitive
	}
	l.project.scrub.diagnostics(diags)
	maskSources(l.files, sensitive, l.project.scrub)
	for name := range l.opaque {
		if f := l.files[name]; f != nil {
			l.files[name] = &hcl.File{Bytes: namesAlone(f.Bytes, name)}
		}
	}
	l.project.files = l.files
	return l.project, diags
}

func (l *loader) load() hcl.Diagnostics {
	src, diag := findSources(l.opts)
	if diag != nil {
		return hcl.Diagnostics{diag}
	}
	l.folder = src.folder
	l.project.folder = src.folder
	if real, err := filepath.EvalSymlinks(src.folder); err == nil {
		l.project.folder = real // one project, however it is reached
	}
	var diags hcl.Diagnostics
	for _, path := range src.bodies {
		body, more := l.parse(path)
		diags = append(diags, more...)
		if body != nil {
			diags = append(diags, l.collect(body)...)
		}
	}
	if diags.HasErrors() {
		return diags // what comes next would only repeat them in other words
	}
	// First phase: what the rest is written in terms of.
	diags = append(diags, l.decodeSandlot()...)
	diags = append(diags, l.decodeVariables(src.values)...)
	diags = append(diags, l.declareSecrets()...)
	diags = append(diags, l.decodeLocals()...)
	// Second phase: the bodies.
	diags = append(diags, l.decodeSecrets()...)
	diags = append(diags, l.decodePlugins("provider")...)
	diags = append(diags, l.decodePlugins("harness")...)
	diags = append(diags, l.decodeWorkspaces()...)
	diags = append(diags, l.decodePolicies()...)
	return append(diags, l.decodeSandboxes()...)
}

// bodyScope is what the bodies of blocks may use. It is made once, when the
// secrets are declared; local values join it as they are evaluated.
func (l *loader) bodyScope() scope {
	if l.bodies == nil {
		l.bodies = &scope{
			roots:     map[string]map[string]cty.Value{"var": l.vars, "local": l.locals, "secret": l.secretValues()},
			functions: functions(l.folder, l.marks, nil),
		}
	}
	return *l.bodies
}

func (l *loader) secretValues() map[string]cty.Value {
	values := make(map[string]cty.Value, len(l.secrets))
	for name := range l.secrets {
		values[name] = l.marks.value(name)
	}
	return values
}

var rootSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
	{Type: "sandlot"},
	{Type: "locals"},
	{Type: "variable", LabelNames: []string{"name"}},
	{Type: "secret", LabelNames: []string{"name"}},
	{Type: "provider", LabelNames: []string{"type", "name"}},
	{Type: "harness", LabelNames: []string{"type", "name"}},
	{Type: "workspace", LabelNames: []string{"name"}},
	{Type: "policy", LabelNames: []string{"name"}},
	{Type: "sandbox", LabelNames: []string{"name"}},
}}

// collect sorts the blocks of one file by type and refuses repeated ones.
func (l *loader) collect(body *hclsyntax.Body) hcl.Diagnostics {
	content, diags := body.Content(rootSchema)
	for _, b := range content.Blocks {
		l.blocks[b.Type] = append(l.blocks[b.Type], b)
		if b.Type == "locals" {
			continue // any number; their names are checked one by one
		}
		bad := false
		for i, label := range b.Labels {
			if !hclsyntax.ValidIdentifier(label) {
				bad = true
				diags = append(diags, problem(&b.LabelRanges[i], "Invalid name",
					"%q can't be referred to. A name has letters, digits, underscores and hyphens, and begins with a letter.", label))
			}
		}
		if bad {
			continue
		}
		key := strings.Join(b.Labels, ".")
		if l.refs[b.Type] == nil {
			l.refs[b.Type] = map[string]hcl.Range{}
		}
		if first, dup := l.refs[b.Type][key]; dup {
			diags = append(diags, problem(&b.DefRange, "Duplicate block", "%s is already declared at %s:%d. Remove one or rename it.",
				header(b), first.Filename, first.Start.Line))
			continue
		}
		l.refs[b.Type][key] = b.DefRange
	}
	return diags
}

func header(b *hcl.Block) string {
	if len(b.Labels) == 0 {
		return b.Type
	}
	return b.Type + ` "` + strings.Join(b.Labels, `" "`) + `"`
}
