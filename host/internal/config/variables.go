package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// variable is a declared variable. Its value is in loader.vars.
type variable struct {
	name      string
	typ       cty.Type
	defaults  *typeexpr.Defaults
	sensitive bool
	block     *hcl.Block
	content   *hcl.BodyContent
}

var variableSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{{Name: "type"}, {Name: "default"}, {Name: "description"}, {Name: "sensitive"}},
	Blocks:     []hcl.BlockHeaderSchema{{Type: "validation"}},
}

// decodeVariables declares variables and gives each its value: the last of
// default, environment, files of values in the folder, and flags.
func (l *loader) decodeVariables(valueFiles []string) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, b := range l.blocks["variable"] {
		diags = append(diags, l.declareVariable(b)...)
	}
	given, more := l.givenValues(valueFiles)
	diags = append(diags, more...)
	for _, b := range l.blocks["variable"] {
		v := l.variables[b.Labels[0]]
		value, more := l.variableValue(v, given[v.name])
		diags = append(diags, more...)
		if !more.HasErrors() {
			l.remember(v, value)
			diags = append(diags, l.validate(v, value)...)
		}
		if v.sensitive {
			value = value.Mark(sensitiveMark(v.name))
		}
		l.vars[v.name] = value
	}
	return diags
}

func (l *loader) declareVariable(b *hcl.Block) hcl.Diagnostics {
	v := &variable{name: b.Labels[0], typ: cty.DynamicPseudoType, block: b}
	l.variables[v.name] = v
	content, diags := b.Body.Content(variableSchema)
	v.content = content
	if attr := content.Attributes["type"]; attr != nil {
		t, defaults, more := typeexpr.TypeConstraintWithDefaults(attr.Expr)
		for _, d := range more {
			d.Detail += " Write a type such as string, number, bool, list(string) or object({ a = string })."
		}
		diags = append(diags, more...)
		if !more.HasErrors() {
			v.typ, v.defaults = t, defaults
		}
	}
	if attr := content.Attributes["description"]; attr != nil {
		_, more := literal(attr.Expr, attr.Name)
		diags = append(diags, more...)
	}
	if attr := content.Attributes["sensitive"]; attr != nil {
		v.sensitive = true // also if the value makes no sense: better hidden
		flag, more := scope{}.eval(attr.Expr)
		diags = append(diags, more...)
		if !more.HasErrors() {
			if flag, err := convert.Convert(flag, cty.Bool); err != nil || flag.IsNull() {
				diags = append(diags, problem(attr.Expr.Range().Ptr(), "Wrong type", `"sensitive" needs true or false.`))
			} else {
				v.sensitive = flag.True()
			}
		}
	}
	return diags
}

func (l *loader) variableValue(v *variable, g given) (cty.Value, hcl.Diagnostics) {
	value, diags := cty.DynamicVal, hcl.Diagnostics(nil)
	if attr := v.content.Attributes["default"]; attr != nil {
		fallback, more := scope{functions: functions(l.folder, l.marks, l.opts.Env)}.eval(attr.Expr)
		if !more.HasErrors() {
			// Checked also where something else is set: it waits for the day when nothing is.
			fallback, more = v.convert(fallback, attr.Expr.Range())
			diags = append(diags, more...)
		} else if !g.set {
			diags = append(diags, more...)
		}
		value = fallback
	} else if !g.set {
		return cty.DynamicVal, hcl.Diagnostics{missing(v)}
	}
	if g.set {
		var more hcl.Diagnostics
		value, more = v.convert(g.value, g.at)
		diags = append(diags, more...)
	}
	if !diags.HasErrors() && value.IsNull() { // such as env("X") of what isn't set
		diags = append(diags, missing(v))
	}
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	return value, nil
}

// convert gives a value the variable's type.
func (v *variable) convert(value cty.Value, at hcl.Range) (cty.Value, hcl.Diagnostics) {
	if v.defaults != nil {
		value = v.defaults.Apply(value)
	}
	converted, err := convert.Convert(value, v.typ)
	switch {
	case err != nil && v.sensitive: // the reason may name a part of the value
		return cty.DynamicVal, hcl.Diagnostics{problem(&at, "Wrong type", "The value of var.%s must be of type %s.", v.name, typeexpr.TypeString(v.typ))}
	case err != nil:
		return cty.DynamicVal, hcl.Diagnostics{problem(&at, "Wrong type", "The value of var.%s must be of type %s: %s.",
			v.name, typeexpr.TypeString(v.typ), err)}
	}
	return converted, nil
}

func missing(v *variable) *hcl.Diagnostic {
	why := "has no default"
	if v.content.Attributes["default"] != nil {
		why = "has a default that is null, which is none,"
	}
	return problem(&v.block.DefRange, "Variable without a value",
		"var.%s %s and nothing sets it. Set it with --var %s=..., in a *%s file, or with SANDLOT_VAR_%s in the environment.",
		v.name, why, v.name, autoSuffix, v.name)
}

// remember keeps what a sensitive variable holds, so that no message shows it.
func (l *loader) remember(v *variable, value cty.Value) {
	if !v.sensitive {
		return
	}
	_ = cty.Walk(value, func(_ cty.Path, leaf cty.Value) (bool, error) {
		if leaf.IsKnown() && !leaf.IsNull() && leaf.Type().IsPrimitiveType() {
			if s, err := convert.Convert(leaf, cty.String); err == nil {
				l.project.scrub.add(s.AsString())
			}
		}
		return true, nil
	})
}
