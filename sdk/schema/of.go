package schema

import (
	"fmt"
	"reflect"
	"slices"
)

// Of returns the schema of the configuration struct v: a struct or a pointer to
// one, which may be nil. It fails, naming the field, on a type or tag it doesn't
// know; [Decode] accepts exactly the structs that Of accepts.
func Of(v any) (Block, error) {
	t := reflect.TypeOf(v)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return Block{}, fmt.Errorf("make schema: a struct is needed, not %T", v)
	}
	block, labels, err := blockOf(t, nil, true)
	if err != nil {
		return Block{}, fmt.Errorf("make schema: %w", err)
	}
	if len(labels) > 0 {
		return Block{}, fmt.Errorf("make schema: %s: only a nested block has labels", t)
	}
	return block, nil
}

func blockOf(t reflect.Type, above []reflect.Type, identity bool) (Block, []string, error) {
	if slices.Contains(above, t) {
		return Block{}, nil, fmt.Errorf("%s contains itself: a block can't be recursive", t)
	}
	above = append(above, t)
	fields, err := fieldsOf(t)
	if err != nil {
		return Block{}, nil, err
	}
	var block Block
	var labels []string
	for _, f := range fields {
		switch f.role {
		case labelRole:
			labels = append(labels, f.name)
		case blockRole:
			nested, err := nestedOf(f, above, identity)
			if err != nil {
				return Block{}, nil, err
			}
			block.Blocks = append(block.Blocks, nested)
		default:
			block.Attributes = append(block.Attributes, Attribute{
				Name: f.name, Type: f.wire, Required: f.required(), Default: f.def,
				Doc: f.tag.Get("doc"), Example: f.tag.Get("example"), Deprecated: f.tag.Get("deprecated"),
				Identity: identity && f.identity(), Sensitive: f.wire.Sensitive(),
			})
		}
	}
	return block, labels, nil
}

func nestedOf(f field, above []reflect.Type, identity bool) (NestedBlock, error) {
	n := NestedBlock{Name: f.name, Nesting: Single, Max: 1, Doc: f.tag.Get("doc"), Deprecated: f.tag.Get("deprecated")}
	t := f.typ
	switch {
	case t.Kind() == reflect.Slice:
		t = t.Elem()
		n.Nesting, n.Max = List, 0
	case !f.pointer:
		n.Min = 1
	}
	block, labels, err := blockOf(t, above, identity && f.identity())
	n.Block, n.Labels = block, labels
	return n, err
}
