package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// pluginBlock is a decoded provider or harness block.
type pluginBlock struct {
	plugin   Plugin
	model    string
	authMode string
	secrets  []string
}

// harnessBody is what the host adds to the body of every harness.
type harnessBody struct {
	Model    string `hcl:"model,optional" doc:"Model the agent uses; its own default if not given."`
	AuthMode string `hcl:"auth_mode" default:"api-key" doc:"api-key, or host to use the agent's own login where nothing isolates it."`
}

// HarnessArguments are those that every harness block takes besides its plugin's.
func HarnessArguments() (schema.Block, error) { return schema.Of(harnessBody{}) }

// hostDecoder decodes the host's own blocks of a kind.
func (l *loader) hostDecoder(kind string) *decoder {
	return &decoder{scope: l.bodyScope(), marks: l.marks, scrub: &l.project.scrub, kind: kind, notYet: languageAhead()}
}

// decodePlugins decodes all blocks of a plugin kind with the plugins' schemas.
func (l *loader) decodePlugins(kind string) hcl.Diagnostics {
	type answer struct {
		schema schema.Block
		err    error
	}
	asked := map[string]answer{}
	var diags hcl.Diagnostics
	for _, b := range l.blocks[kind] {
		typ := b.Labels[0]
		a, ok := asked[typ]
		if !ok {
			a.schema, a.err = l.schemaOf(kind, typ)
			asked[typ] = a
		}
		if a.err != nil {
			diags = append(diags, noSchema(kind, typ, b, a.err))
			continue
		}
		diags = append(diags, l.decodePlugin(kind, b, a.schema)...)
	}
	return diags
}

// schemaOf asks for a plugin's schema and checks it: it comes from outside.
func (l *loader) schemaOf(kind, typ string) (schema.Block, error) {
	if l.opts.Schemas == nil {
		return schema.Block{}, &UnknownTypeError{Kind: kind, Type: typ}
	}
	s, err := l.opts.Schemas(l.ctx, kind, typ)
	if err != nil {
		return s, err
	}
	if err := checkSchema(s, 0); err != nil {
		return s, fmt.Errorf("read schema of the %s plugin: %w", typ, err)
	}
	if kind != "harness" {
		return s, nil
	}
	own, err := HarnessArguments()
	if err != nil {
		return s, err
	}
	for _, a := range own.Attributes {
		if slices.ContainsFunc(s.Attributes, func(b schema.Attribute) bool { return b.Name == a.Name }) {
			return s, fmt.Errorf("read schema of the %s plugin: it declares %q, which belongs to every harness", typ, a.Name)
		}
	}
	s.Attributes = append(slices.Clone(s.Attributes), own.Attributes...)
	return s, nil
}

func checkSchema(s schema.Block, depth int) error {
	if depth > 10 {
		return errors.New("its blocks are nested more than 10 deep")
	}
	seen := map[string]bool{}
	name := func(name string) error {
		if seen[name] || name == "" {
			return fmt.Errorf("the name %q is empty or given twice", name)
		}
		seen[name] = true
		return nil
	}
	for _, a := range s.Attributes {
		if err := name(a.Name); err != nil {
			return err
		}
		if !a.Type.Valid() || a.Sensitive != a.Type.Sensitive() {
			return fmt.Errorf("attribute %q: the type %q isn't known to this build", a.Name, a.Type)
		}
	}
	for _, n := range s.Blocks {
		if err := errors.Join(name(n.Name), checkSchema(n.Block, depth+1)); err != nil {
			return err
		}
		if n.Nesting != schema.Single && n.Nesting != schema.List {
			return fmt.Errorf("block %q: the nesting %q isn't known to this build", n.Name, n.Nesting)
		}
	}
	return nil
}

func noSchema(kind, typ string, b *hcl.Block, err error) *hcl.Diagnostic {
	at := &b.LabelRanges[0]
	unknown := (*UnknownTypeError)(nil)
	if !errors.As(err, &unknown) {
		return problem(at, "Plugin gives no schema", "The %s plugin %q can't say how it is configured: %s.", kind, typ, err)
	}
	detail := fmt.Sprintf("No %s plugin %q is installed.%s", kind, typ, didYouMean(typ, unknown.Known))
	if len(unknown.Known) > 0 {
		detail += " Installed are: " + strings.Join(unknown.Known, ", ") + "."
	}
	if len(unknown.Looked) > 0 {
		detail += " Looked in: " + strings.Join(unknown.Looked, ", ") + "."
	}
	return problem(at, "Unknown "+kind+" type", "%s Put sandlot-%s-%s into one of the plugin folders, or correct the type.", detail, kind, typ)
}

func (l *loader) decodePlugin(kind string, b *hcl.Block, s schema.Block) hcl.Diagnostics {
	d := &decoder{scope: l.bodyScope(), marks: l.marks, scrub: &l.project.scrub, kind: kind}
	out, diags := d.decode(b, s)
	pb := &pluginBlock{plugin: Plugin{Type: b.Labels[0], Name: b.Labels[1], Where: out.ranges.places()}}
	if kind == "harness" {
		pb.model, _ = out.tree["model"].(string)
		pb.authMode, _ = out.tree["auth_mode"].(string)
		for _, name := range []string{"model", "auth_mode"} {
			delete(out.tree, name)
			delete(out.identity, name)
		}
		diags = append(diags, oneOf(out.ranges, "auth_mode", pb.authMode, "api-key", "host")...)
	}
	var err error
	pb.plugin.Config, err = json.Marshal(out.tree)
	if err == nil && kind == "provider" { // a sandbox doesn't depend on its harness
		pb.plugin.Identity, err = json.Marshal(out.identity)
	}
	if err != nil {
		diags = append(diags, problem(&b.DefRange, "Error in sandlot", "%s.", err))
	}
	slices.Sort(out.secrets)
	pb.secrets = slices.Compact(out.secrets)
	slices.Sort(out.sensitive)
	pb.plugin.Sensitive = out.sensitive
	into := l.project.providers
	if kind == "harness" {
		into = l.project.harnesses
	}
	into[b.Labels[0]+"."+b.Labels[1]] = pb
	return diags
}

// oneOf reports a value outside a closed set, where it was written.
func oneOf(r ranges, path, value string, allowed ...string) hcl.Diagnostics {
	if _, written := r[path]; slices.Contains(allowed, value) || value == "" && !written {
		return nil
	}
	return hcl.Diagnostics{problem(r.at(path).Ptr(), "Invalid value", "%q is one of %s; this is %q.%s",
		path, quoted(allowed), value, didYouMean(value, allowed))}
}
