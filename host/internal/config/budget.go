package config

import "github.com/zclconf/go-cty/cty"

// Bounds on what all local values hold together. A few lines that each double
// the value before would fill the memory; one that wraps the value before would
// overflow the stack of whatever walks it.
const (
	maxNodes = 100_000
	maxBytes = 64 << 20
)

// budget is what is left of them.
type budget struct{ nodes, bytes int }

// take subtracts a value; false: there isn't that much left.
func (b *budget) take(v cty.Value, depth int) bool {
	v, _ = v.Unmark()
	b.nodes--
	if v.IsKnown() && !v.IsNull() && v.Type() == cty.String {
		b.bytes -= len(v.AsString())
	}
	if b.nodes < 0 || b.bytes < 0 || depth > maxDepth {
		return false
	}
	if !v.CanIterateElements() {
		return true
	}
	for it := v.ElementIterator(); it.Next(); {
		key, elem := it.Element()
		if !b.take(elem, depth+1) || key.Type() == cty.String && !b.take(key, depth+1) {
			return false
		}
	}
	return true
}
