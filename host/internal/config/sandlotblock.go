package config

import (
	"strings"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// decodeSandlot reads the block that says what the configuration needs of the
// program. Its values are literals: nothing is known yet.
func (l *loader) decodeSandlot() hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, b := range l.blocks["sandlot"] {
		content, more := b.Body.Content(&hcl.BodySchema{
			Attributes: []hcl.AttributeSchema{{Name: "required_version"}},
			Blocks:     []hcl.BlockHeaderSchema{{Type: "required_providers"}},
		})
		diags = append(diags, more...)
		if attr := content.Attributes["required_version"]; attr != nil {
			diags = append(diags, l.checkVersion(attr)...)
		}
		for _, block := range content.Blocks {
			diags = append(diags, l.decodeRequired(block)...)
		}
	}
	return diags
}

func (l *loader) checkVersion(attr *hcl.Attribute) hcl.Diagnostics {
	text, diags := literal(attr.Expr, attr.Name)
	if diags.HasErrors() {
		return diags
	}
	want, err := version.NewConstraint(text)
	if err != nil {
		return hcl.Diagnostics{problem(attr.Expr.Range().Ptr(), "Invalid version constraint",
			"%q isn't a version constraint. Write one such as \">= 0.1, < 2.0\".", text)}
	}
	have, err := version.NewVersion(l.opts.Version)
	if err != nil || want.Check(have.Core()) { // a development build counts as the version it leads to
		return nil
	}
	return hcl.Diagnostics{problem(attr.Expr.Range().Ptr(), "Wrong version of sandlot",
		"This configuration needs sandlot %s, and this is %s. Install a fitting version or change required_version.", text, have)}
}

func (l *loader) decodeRequired(block *hcl.Block) hcl.Diagnostics {
	attrs, diags := block.Body.JustAttributes()
	for name, attr := range attrs {
		pairs, more := hcl.ExprMap(attr.Expr)
		if more.HasErrors() {
			diags = append(diags, problem(attr.Expr.Range().Ptr(), "Invalid requirement",
				"Write %s = { source = \"owner/name\", version = \"~> 1.2\" }.", name))
			continue
		}
		var req Requirement
		for _, pair := range pairs {
			key := hcl.ExprAsKeyword(pair.Key)
			text, more := literal(pair.Value, key)
			diags = append(diags, more...)
			switch key {
			case "source":
				req.Source = text
				if owner, rest, ok := strings.Cut(text, "/"); !more.HasErrors() && (!ok || owner == "" || rest == "" || strings.Contains(rest, "/")) {
					diags = append(diags, problem(pair.Value.Range().Ptr(), "Invalid source", "A source is \"owner/name\"; this is %q.", text))
				}
			case "version":
				req.Version = text
				if _, err := version.NewConstraint(text); err != nil && !more.HasErrors() {
					diags = append(diags, problem(pair.Value.Range().Ptr(), "Invalid version constraint",
						"%q isn't a version constraint. Write one such as \"~> 1.2\".", text))
				}
			default:
				diags = append(diags, problem(pair.Key.Range().Ptr(), "Unsupported argument",
					"A requirement has source and version, not %q.%s", key, didYouMean(key, []string{"source", "version"})))
			}
		}
		l.project.required[name] = req
	}
	return diags
}

// literal is the string an expression without variables and functions gives.
func literal(expr hcl.Expression, name string) (string, hcl.Diagnostics) {
	v, diags := scope{}.eval(expr)
	if diags.HasErrors() {
		return "", diags
	}
	v, err := convert.Convert(v, cty.String)
	if err != nil || v.IsNull() || !v.IsKnown() {
		return "", hcl.Diagnostics{problem(expr.Range().Ptr(), "Wrong type", "%q needs a string.", name)}
	}
	return v.AsString(), nil
}
