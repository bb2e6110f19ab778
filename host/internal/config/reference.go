package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// reference decodes an attribute that names a block of a kind, such as
// provider.docker.isolated, to the block's labels joined with dots.
func (l *loader) reference(kind string) special {
	return func(expr hcl.Expression) (any, hcl.Diagnostics) {
		at := expr.Range()
		form := kind + ".NAME"
		steps := 1
		if kind == "provider" || kind == "harness" {
			form, steps = kind+".TYPE.NAME", 2
		}
		known := slices.Sorted(maps.Keys(l.refs[kind]))
		fail := func(summary, detail string, args ...any) (any, hcl.Diagnostics) {
			return nil, hcl.Diagnostics{problem(&at, summary, detail, args...)}
		}
		tr, diags := hcl.AbsTraversalForExpr(expr)
		if diags.HasErrors() {
			return fail("Not a reference", "%q needs a reference to a %s block: %s, without quotes.%s", kind, kind, form, offer(kind, known))
		}
		switch root := tr.RootName(); {
		case root == "null" && len(tr) == 1:
			return nil, nil
		case root != kind && slices.Contains(referenceKinds, root):
			return fail("Wrong kind of reference", "%q needs a %s block, and this refers to a %s block. Write %s.%s", kind, kind, root, form, offer(kind, known))
		case root != kind:
			return fail("Not a reference", "%q needs a reference to a %s block: %s.%s%s", kind, kind, form, didYouMean(root, []string{kind}), offer(kind, known))
		}
		var names []string
		for i := 1; i < len(tr); i++ {
			name, ok := step(tr, i)
			if !ok {
				return fail("Not a reference", "%q needs a plain reference: %s.", kind, form)
			}
			names = append(names, name)
		}
		if len(names) != steps {
			return fail("Incomplete reference", "A reference to a %s block has the form %s, and this is %s.%s",
				kind, form, strings.Join(append([]string{kind}, names...), "."), offer(kind, known))
		}
		key := strings.Join(names, ".")
		if _, ok := l.refs[kind][key]; !ok {
			return fail("Unknown "+kind+" block", "There is no %s.%s.%s%s", kind, key, didYouMean(key, known), offer(kind, known))
		}
		return key, nil
	}
}

// offer lists what could be referred to.
func offer(kind string, known []string) string {
	if len(known) == 0 {
		return fmt.Sprintf(" The configuration has no %s block.", kind)
	}
	list := make([]string, len(known))
	for i, key := range known {
		list[i] = kind + "." + key
	}
	return " Declared: " + strings.Join(list, ", ") + "."
}
