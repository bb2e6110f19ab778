package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// given is a value from outside the configuration. Its text isn't among the
// sources, so a diagnostic about it shows none.
type given struct {
	set   bool
	value cty.Value
	at    hcl.Range
}

// givenValues collects the values set from outside, the later over the earlier.
func (l *loader) givenValues(valueFiles []string) (map[string]given, hcl.Diagnostics) {
	out := map[string]given{}
	var diags hcl.Diagnostics
	for name, v := range l.variables {
		if text, ok := l.opts.Env("SANDLOT_VAR_" + name); ok {
			diags = append(diags, l.setText(out, v, text, "SANDLOT_VAR_"+name)...)
		}
	}
	for _, path := range valueFiles {
		diags = append(diags, l.setFile(out, path)...)
	}
	for _, in := range l.opts.Inputs {
		if in.File != "" {
			diags = append(diags, l.setFile(out, absolute(in.File, l.opts.Dir))...)
			continue
		}
		name, text, ok := strings.Cut(in.Var, "=")
		name = strings.TrimSpace(name)
		at := flagRange("--var")
		if ok && hclsyntax.ValidIdentifier(name) { // what has no name may be a value
			at = flagRange("--var " + name)
		}
		switch v := l.variables[name]; {
		case !ok:
			diags = append(diags, problem(&at, "Invalid --var", "Write --var name=value; there is no \"=\" in it."))
		case !hclsyntax.ValidIdentifier(name):
			diags = append(diags, problem(&at, "Invalid --var", "Write --var name=value; what stands before the \"=\" is no name."))
		case v == nil:
			diags = append(diags, l.undeclared(name, &at))
		default:
			diags = append(diags, l.setText(out, v, text, "--var "+name)...)
		}
	}
	return out, diags
}

// flagRange stands for a flag or variable of the environment in diagnostics.
func flagRange(name string) hcl.Range {
	return hcl.Range{Filename: name, Start: hcl.InitialPos, End: hcl.InitialPos}
}

func (l *loader) undeclared(name string, at *hcl.Range) *hcl.Diagnostic {
	return problem(at, "Unknown variable", "There is no variable %q.%s Declare it with variable %q { ... } or don't set it.",
		name, didYouMean(name, slices.Sorted(maps.Keys(l.variables))), name)
}

func (l *loader) setFile(out map[string]given, path string) hcl.Diagnostics {
	body, diags := l.parse(path)
	if body == nil { // what stands where is unknown: any may be the value of a sensitive one, or the file a mistaken one
		l.opaque[shown(path, l.opts.Dir)] = true
		return diags
	}
	attrs, more := body.JustAttributes()
	if more.HasErrors() {
		l.opaque[shown(path, l.opts.Dir)] = true
	}
	for _, d := range more {
		diags = append(diags, problem(d.Subject, "Not a value", "A file of values has lines name = value, and nothing else."))
	}
	for name, attr := range attrs {
		if l.variables[name] == nil {
			l.hidden[name] = true // perhaps a sensitive one, mistyped
			diags = append(diags, l.undeclared(name, &attr.NameRange))
			continue
		}
		value, more := scope{}.eval(attr.Expr)
		diags = append(diags, more...)
		if !more.HasErrors() {
			out[name] = given{true, value, attr.Expr.Range()}
		}
	}
	return diags
}

// setText reads the text of a flag or of the environment: as it is for a string
// or an undeclared type, else as an expression.
func (l *loader) setText(out map[string]given, v *variable, text, from string) hcl.Diagnostics {
	at := flagRange(from)
	value := cty.StringVal(text)
	switch {
	case !v.typ.IsPrimitiveType() && v.typ != cty.DynamicPseudoType:
		if diags := guard([]byte(text), from, false); diags.HasErrors() {
			return diags
		}
		expr, diags := hclsyntax.ParseExpression([]byte(text), from, hcl.InitialPos)
		if !diags.HasErrors() {
			boundLoops(expr)
			value, diags = scope{}.eval(expr)
		}
		if diags.HasErrors() {
			return hcl.Diagnostics{problem(&at, "Invalid value", "The value of var.%s isn't an expression such as [\"a\", \"b\"] or {a = 1}.", v.name)}
		}
	case v.typ.IsPrimitiveType():
		converted, err := convert.Convert(value, v.typ)
		if err != nil {
			return hcl.Diagnostics{problem(&at, "Wrong type", "The value of var.%s must be a %s.", v.name, v.typ.FriendlyName())}
		}
		value = converted
	}
	out[v.name] = given{true, value, at}
	return nil
}
