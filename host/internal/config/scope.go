package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// scope is what an expression may use: the values under each root name ("var",
// "local", "secret") and functions.
type scope struct {
	roots     map[string]map[string]cty.Value
	functions map[string]function.Function
}

// referenceKinds are the blocks that are referred to by traversal.
var referenceKinds = []string{"provider", "harness", "workspace", "policy", "sandbox"}

// eval evaluates expr. Names are checked first, so that a mistyped one gets a
// suggestion.
func (s scope) eval(expr hcl.Expression) (cty.Value, hcl.Diagnostics) {
	var diags hcl.Diagnostics
	for _, tr := range expr.Variables() {
		if d := s.check(tr); d != nil {
			diags = append(diags, d)
		}
	}
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	return expr.Value(&hcl.EvalContext{Variables: s.needed(expr.Variables()), Functions: s.functions})
}

// needed are the roots with only the names that are used: to make an object of
// every local value for every local value takes quadratic time.
func (s scope) needed(used []hcl.Traversal) map[string]cty.Value {
	picked := map[string]map[string]cty.Value{}
	for _, tr := range used {
		root := tr.RootName()
		values := s.roots[root]
		name, ok := step(tr, 1)
		switch {
		case !ok:
			picked[root] = values
		case len(picked[root]) < len(values):
			if picked[root] == nil {
				picked[root] = map[string]cty.Value{}
			}
			picked[root][name] = values[name]
		}
	}
	vars := make(map[string]cty.Value, len(picked))
	for root, values := range picked {
		vars[root] = cty.ObjectVal(values)
	}
	return vars
}

func (s scope) check(tr hcl.Traversal) *hcl.Diagnostic {
	at := tr.SourceRange()
	root := tr.RootName()
	values, known := s.roots[root]
	if !known {
		return s.unknownRoot(root, &at)
	}
	name, ok := step(tr, 1)
	if !ok {
		if root != "secret" {
			return nil
		}
		return problem(&at, "Which secret?", "Name one: secret.NAME.")
	}
	if _, ok := values[name]; ok {
		return nil
	}
	what := map[string]string{"var": "variable", "local": "local value", "secret": "secret"}[root]
	names := slices.Sorted(maps.Keys(values))
	return problem(&at, "Unknown "+what, "There is no %s %q.%s%s", what, name, didYouMean(name, names), declared(root, name))
}

func declared(root, name string) string {
	switch root {
	case "var":
		return fmt.Sprintf(` Declare it with variable %q { ... }.`, name)
	case "local":
		return fmt.Sprintf(` Declare it with locals { %s = ... }.`, name)
	}
	return fmt.Sprintf(` Declare it with secret %q { env = %q }.`, name, name)
}

func (s scope) unknownRoot(root string, at *hcl.Range) *hcl.Diagnostic {
	if slices.Contains(referenceKinds, root) {
		return problem(at, "Reference out of place",
			"A reference to a %s block stands alone, as an attribute of a sandbox block (%s = ...), and nowhere else.", root, root)
	}
	if root == "secret" || root == "local" || root == "var" {
		return problem(at, "Not available here", "%s.* can't be used here; only %s can.", root, s.usable())
	}
	for prefix, values := range s.roots {
		if _, ok := values[root]; ok {
			return problem(at, "Unknown name", "There is no %q. Did you mean %q?", root, prefix+"."+root)
		}
	}
	return problem(at, "Unknown name", "There is no %q.%s An expression may use %s; text needs quotes.",
		root, didYouMean(root, slices.Sorted(maps.Keys(s.roots))), s.usable())
}

func (s scope) usable() string {
	names := slices.Sorted(maps.Keys(s.roots))
	if len(names) == 0 {
		return "literals and functions"
	}
	return strings.Join(names, ".*, ") + ".* and functions"
}

// step is the name of a traversal's i-th step, written .name or ["name"].
func step(tr hcl.Traversal, i int) (string, bool) {
	if i >= len(tr) {
		return "", false
	}
	switch s := tr[i].(type) {
	case hcl.TraverseAttr:
		return s.Name, true
	case hcl.TraverseIndex:
		if s.Key.Type() == cty.String && s.Key.IsKnown() && !s.Key.IsNull() {
			return s.Key.AsString(), true
		}
	}
	return "", false
}
