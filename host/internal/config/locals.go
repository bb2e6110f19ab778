package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// decodeLocals evaluates local values in the order they need each other.
func (l *loader) decodeLocals() hcl.Diagnostics {
	var diags hcl.Diagnostics
	attrs := map[string]*hcl.Attribute{}
	for _, b := range l.blocks["locals"] {
		found, more := b.Body.JustAttributes()
		diags = append(diags, more...)
		for _, name := range slices.Sorted(maps.Keys(found)) {
			if first := attrs[name]; first != nil {
				diags = append(diags, problem(&found[name].NameRange, "Duplicate local value", "local.%s is already declared at %s:%d. Rename one.",
					name, first.NameRange.Filename, first.NameRange.Start.Line))
				continue
			}
			attrs[name] = found[name]
			l.locals[name] = cty.DynamicVal // known by name, unknown as yet
		}
	}
	order, cyclic := sortLocals(attrs)
	for name, cycle := range cyclic {
		diags = append(diags, problem(&attrs[name].NameRange, "Local values need each other",
			"%s. Break the cycle.", "local."+strings.Join(cycle, " needs local.")))
	}
	sc := l.bodyScope()
	room := budget{nodes: maxNodes, bytes: maxBytes}
	for _, name := range order {
		v, more := sc.eval(attrs[name].Expr)
		if !more.HasErrors() && !room.take(v, 0) {
			return append(diags, problem(&attrs[name].NameRange, "Local values too large",
				"With local.%s, the local values hold more than %d MiB, more than %d elements, or more than %d levels. Make them smaller.",
				name, maxBytes>>20, maxNodes, maxDepth))
		}
		diags = append(diags, more...)
		if !more.HasErrors() {
			l.locals[name] = v // sc sees it too: it holds the same map
		}
	}
	return diags
}

// sortLocals orders names so that each comes after what it needs. Names on a
// cycle are left out; each cycle is returned once, under its first name.
func sortLocals(attrs map[string]*hcl.Attribute) (order []string, cyclic map[string][]string) {
	const visiting, done = 1, 2
	cyclic = map[string][]string{}
	state := map[string]int{}
	var path []string
	var visit func(name string)
	visit = func(name string) {
		attr := attrs[name]
		if attr == nil || state[name] == done {
			return
		}
		if state[name] == visiting {
			cycle := append(slices.Clone(path[slices.Index(path, name):]), name)
			cyclic[name] = cycle
			return
		}
		state[name] = visiting
		path = append(path, name)
		for _, tr := range attr.Expr.Variables() {
			if tr.RootName() != "local" {
				continue
			}
			if needed, ok := step(tr, 1); ok {
				visit(needed)
				continue
			}
			for _, all := range slices.Sorted(maps.Keys(attrs)) { // `local` as a whole, or by a computed name
				visit(all)
			}
		}
		path = path[:len(path)-1]
		state[name] = done
		order = append(order, name)
	}
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		visit(name)
	}
	for _, cycle := range cyclic {
		order = slices.DeleteFunc(order, func(name string) bool { return slices.Contains(cycle, name) })
	}
	return order, cyclic
}
