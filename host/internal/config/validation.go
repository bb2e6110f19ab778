package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

var validationSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{{Name: "condition", Required: true}, {Name: "error_message", Required: true}},
}

// validate runs a variable's own checks, all of them.
func (l *loader) validate(v *variable, value cty.Value) hcl.Diagnostics {
	if v.sensitive {
		value = value.Mark(sensitiveMark(v.name)) // so that a function's error doesn't quote it
	}
	var diags hcl.Diagnostics
	sc := scope{
		roots:     map[string]map[string]cty.Value{"var": {v.name: value}},
		functions: functions(l.folder, l.marks, nil),
	}
	for _, b := range v.content.Blocks {
		content, more := b.Body.Content(validationSchema)
		diags = append(diags, more...)
		if !more.HasErrors() {
			more = append(l.others(v, content.Attributes["condition"]), l.others(v, content.Attributes["error_message"])...)
			diags = append(diags, more...)
		}
		if !more.HasErrors() {
			diags = append(diags, v.check(sc, content.Attributes["condition"].Expr, content.Attributes["error_message"].Expr)...)
		}
	}
	return diags
}

// others refuses other variables in a validation: whether a value is right would
// depend on values that may be wrong.
func (l *loader) others(v *variable, attr *hcl.Attribute) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, tr := range attr.Expr.Variables() {
		if name, ok := step(tr, 1); ok && tr.RootName() == "var" && name != v.name && l.variables[name] != nil {
			diags = append(diags, problem(tr.SourceRange().Ptr(), "Another variable in a validation",
				"A validation of var.%s can use var.%s alone, not var.%s.", v.name, v.name, name))
		}
	}
	return diags
}

// check is one validation block.
func (v *variable) check(sc scope, condition, message hcl.Expression) hcl.Diagnostics {
	ok, diags := sc.eval(condition)
	if diags.HasErrors() {
		return v.veiled(diags)
	}
	ok, _ = ok.UnmarkDeep()
	ok, err := convert.Convert(ok, cty.Bool)
	if err != nil || ok.IsNull() || !ok.IsKnown() {
		diags = append(diags, problem(condition.Range().Ptr(), "Wrong type", `"condition" needs true or false.`))
	}
	// Also if the value is right, so that a mistake in it doesn't wait for one that isn't.
	text, more := sc.eval(message)
	if more.HasErrors() {
		return append(diags, v.veiled(more)...)
	}
	if _, shown := markNames(text); len(shown) > 0 {
		return append(diags, problem(message.Range().Ptr(), "Sensitive value in a message",
			"The error_message is made of the value of var.%s, which is sensitive. Say what is wanted without it.", v.name))
	}
	text, err = convert.Convert(text, cty.String)
	if err != nil || text.IsNull() || !text.IsKnown() {
		diags = append(diags, problem(message.Range().Ptr(), "Wrong type", `"error_message" needs a string.`))
	}
	if !diags.HasErrors() && ok.False() {
		diags = append(diags, problem(condition.Range().Ptr(), "Invalid value for a variable", "var.%s: %s", v.name, text.AsString()))
	}
	return diags
}

// veiled takes out of diagnostics what may tell of a sensitive value.
func (v *variable) veiled(diags hcl.Diagnostics) hcl.Diagnostics {
	if v.sensitive {
		for _, d := range diags {
			d.Detail = "This can't be evaluated for the value of var." + v.name + " (the reason may hold the value, which is sensitive, so it isn't shown)."
		}
	}
	return diags
}
