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

var validationSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{{Name: "condition", Required: true}, {Name: "error_message", Required: true}},
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
	value, at := g.value, g.at
	if !g.set {
		attr := v.content.Attributes["default"]
		if attr == nil {
			return cty.DynamicVal, hcl.Diagnostics{missing(v)}
		}
		at = attr.Expr.Range()
		var diags hcl.Diagnostics
		value, diags = scope{functions: functions(l.folder, l.marks, l.opts.Env)}.eval(attr.Expr)
		if diags.HasErrors() {
			return cty.DynamicVal, diags
		}
	}
	if v.defaults != nil {
		value = v.defaults.Apply(value)
	}
	converted, err := convert.Convert(value, v.typ)
	if err != nil {
		return cty.DynamicVal, hcl.Diagnostics{problem(&at, "Wrong type", "The value of var.%s must be of type %s: %s.",
			v.name, typeexpr.TypeString(v.typ), err)}
	}
	if converted.IsNull() { // such as env("X") of what isn't set
		return cty.DynamicVal, hcl.Diagnostics{missing(v)}
	}
	return converted, nil
}

func missing(v *variable) *hcl.Diagnostic {
	return problem(&v.block.DefRange, "Variable without a value",
		"var.%s has no default and nothing sets it. Set it with --var %s=..., in a *%s file, or with SANDLOT_VAR_%s in the environment.",
		v.name, v.name, autoSuffix, v.name)
}

// validate runs a variable's own checks on its plain value.
func (l *loader) validate(v *variable, value cty.Value) hcl.Diagnostics {
	var diags hcl.Diagnostics
	sc := scope{
		roots:     map[string]map[string]cty.Value{"var": {v.name: value}},
		functions: functions(l.folder, l.marks, nil),
	}
	for _, b := range v.content.Blocks {
		content, more := b.Body.Content(validationSchema)
		if more.HasErrors() {
			diags = append(diags, more...)
			continue
		}
		condition, message := content.Attributes["condition"], content.Attributes["error_message"]
		ok, more := sc.eval(condition.Expr)
		diags = append(diags, more...)
		text, moreText := sc.eval(message.Expr)
		diags = append(diags, moreText...)
		if more.HasErrors() || moreText.HasErrors() {
			continue
		}
		ok, err := convert.Convert(ok, cty.Bool)
		if err != nil || ok.IsNull() || !ok.IsKnown() {
			diags = append(diags, problem(condition.Expr.Range().Ptr(), "Wrong type", `"condition" needs true or false.`))
			continue
		}
		text, err = convert.Convert(text, cty.String)
		if err != nil || text.IsNull() || !text.IsKnown() {
			diags = append(diags, problem(message.Expr.Range().Ptr(), "Wrong type", `"error_message" needs a string.`))
			continue
		}
		if ok.False() {
			diags = append(diags, problem(condition.Expr.Range().Ptr(), "Invalid value for a variable",
				"var.%s: %s", v.name, text.AsString()))
		}
	}
	return diags
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
