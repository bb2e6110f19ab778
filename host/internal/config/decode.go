package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// special decodes an attribute that isn't an ordinary value, such as a reference.
// What it returns goes into the tree; nil leaves the attribute out.
type special func(hcl.Expression) (any, hcl.Diagnostics)

// decoder decodes bodies by a schema: those of plugins and the host's own.
type decoder struct {
	scope   scope
	marks   placeholders
	scrub   *scrubber          // learns what must not be shown
	special map[string]special // by path
	// kind is the block's type, for messages and for what is notYet supported.
	// notYet has the labels of blocks, nil for attributes, by kind and path.
	kind   string
	notYet map[string][]string
	// refuse says why a nested block isn't decoded at all; nil refuses none.
	refuse func(path string, b *hcl.Block) *hcl.Diagnostic
}

// decoded is a body's value. Tree and identity are JSON: map[string]any, []any,
// string, bool, json.Number, and Value for what is sensitive.
type decoded struct {
	tree      map[string]any
	identity  map[string]any // the part of the tree that counts in identity
	sensitive []string       // JSON pointers to the Values in the tree
	secrets   []string       // names used
	ranges    ranges
}

// ranges are where values were written, by path as in schema.PathError.
type ranges map[string]hcl.Range

// at is the place of path, or of the nearest thing around it.
func (r ranges) at(path string) hcl.Range {
	for {
		if found, ok := r[path]; ok || path == "" {
			return found
		}
		path = around(path)
	}
}

// around is the path without its last step.
func around(path string) string {
	return path[:max(strings.LastIndexAny(path, ".["), 0)]
}

// places are the ranges as "file:line".
func (r ranges) places() map[string]string {
	out := make(map[string]string, len(r))
	for path, at := range r {
		out[path] = fmt.Sprintf("%s:%d", at.Filename, at.Start.Line)
	}
	return out
}

func (d *decoder) decode(b *hcl.Block, s schema.Block) (*decoded, hcl.Diagnostics) {
	out := &decoded{ranges: ranges{"": b.DefRange}}
	var diags hcl.Diagnostics
	out.tree, out.identity, diags = d.block(b.Body, s, "", "", &b.DefRange, out)
	return out, diags
}

// into decodes a block of the host's own into the struct that describes it.
func (d *decoder) into(b *hcl.Block, body any) (*decoded, hcl.Diagnostics) {
	s, err := schema.Of(body)
	if err != nil {
		return &decoded{ranges: ranges{}}, hcl.Diagnostics{problem(&b.DefRange, "Error in sandlot", "%s.", err)}
	}
	out, diags := d.decode(b, s)
	if diags.HasErrors() {
		// What could be decoded still is, so that the caller can check it: a person
		// wants all mistakes of a block at once.
		fillMissing(out.tree, s)
		_ = decodeTree(out.tree, body, out.ranges, "") // what it misses has its diagnostic
		return out, diags
	}
	return out, append(diags, decodeTree(out.tree, body, out.ranges, "")...)
}

// decodeTree fills a struct from the part of a tree that stands at path.
func decodeTree(tree, body any, r ranges, path string) hcl.Diagnostics {
	data, err := json.Marshal(tree)
	if err == nil {
		err = schema.Decode(data, body)
	}
	if at := (*schema.PathError)(nil); errors.As(err, &at) {
		return hcl.Diagnostics{problem(r.at(schema.Attr(path, at.Path)).Ptr(), "Invalid value", "%s.", at)}
	}
	if err != nil {
		return hcl.Diagnostics{problem(r.at(path).Ptr(), "Error in sandlot", "%s.", err)}
	}
	return nil
}

// fillMissing gives what is required and has its diagnostic an empty value.
func fillMissing(tree map[string]any, s schema.Block) {
	for _, a := range s.Attributes {
		if _, there := tree[a.Name]; there || !a.Required {
			continue
		}
		switch {
		case a.Type.IsList():
			tree[a.Name] = []any{}
		case a.Type.IsMap():
			tree[a.Name] = map[string]any{}
		case a.Type == schema.Bool:
			tree[a.Name] = false
		case a.Type == schema.Int, a.Type == schema.Number:
			tree[a.Name] = json.Number("0")
		case a.Type == schema.Duration:
			tree[a.Name] = "0s"
		default:
			tree[a.Name] = ""
		}
	}
	for _, n := range s.Blocks {
		switch given := tree[n.Name].(type) {
		case map[string]any:
			fillMissing(given, n.Block)
		case []any:
			for _, one := range given {
				if block, ok := one.(map[string]any); ok {
					fillMissing(block, n.Block)
				}
			}
		}
	}
}

func (d *decoder) block(body hcl.Body, s schema.Block, path, pointer string, head *hcl.Range, out *decoded) (tree, identity map[string]any, diags hcl.Diagnostics) {
	tree, identity = map[string]any{}, map[string]any{}
	content, diags := body.Content(d.bodySchema(s, path))
	diags = append(diags, d.refuseNotYet(content, path)...)
	for _, attr := range s.Attributes {
		where, at := schema.Attr(path, attr.Name), pointer+"/"+escapePointer.Replace(attr.Name)
		value, more := d.attribute(attr, content.Attributes[attr.Name], where, at, head, out)
		diags = append(diags, more...)
		if value == nil {
			continue
		}
		tree[attr.Name] = value
		if attr.Identity && attr.Sensitive {
			identity[attr.Name] = map[string]any{"secrets": secretsIn(value)}
		} else if attr.Identity {
			identity[attr.Name] = value
		}
	}
	for _, nested := range s.Blocks {
		where, at := schema.Attr(path, nested.Name), pointer+"/"+escapePointer.Replace(nested.Name)
		value, id, more := d.nested(nested, content.Blocks.OfType(nested.Name), where, at, head, out)
		diags = append(diags, more...)
		if value != nil {
			tree[nested.Name] = value
		}
		if id != nil {
			identity[nested.Name] = id
		}
	}
	return tree, identity, diags
}

func (d *decoder) bodySchema(s schema.Block, path string) *hcl.BodySchema {
	bs := &hcl.BodySchema{}
	names := map[string]bool{}
	for _, a := range s.Attributes {
		names[a.Name] = true
		bs.Attributes = append(bs.Attributes, hcl.AttributeSchema{Name: a.Name})
	}
	for _, b := range s.Blocks {
		names[b.Name] = true
		bs.Blocks = append(bs.Blocks, hcl.BlockHeaderSchema{Type: b.Name, LabelNames: b.Labels})
	}
	for name, labels := range d.notYetIn(path) {
		switch {
		case names[name]:
		case labels == nil:
			bs.Attributes = append(bs.Attributes, hcl.AttributeSchema{Name: name})
		default:
			bs.Blocks = append(bs.Blocks, hcl.BlockHeaderSchema{Type: name, LabelNames: labels})
		}
	}
	return bs
}

func (d *decoder) attribute(attr schema.Attribute, given *hcl.Attribute, path, pointer string, head *hcl.Range, out *decoded) (any, hcl.Diagnostics) {
	var value any
	var diags hcl.Diagnostics
	if given != nil {
		out.ranges[path] = given.Expr.Range()
		if attr.Deprecated != "" {
			diags = append(diags, &hcl.Diagnostic{
				Severity: hcl.DiagWarning, Summary: "Deprecated argument",
				Detail: fmt.Sprintf("%q is deprecated: %s.", path, attr.Deprecated), Subject: &given.NameRange,
			})
		}
		var more hcl.Diagnostics
		if special := d.special[path]; special != nil {
			value, more = special(given.Expr)
		} else {
			value, more = d.value(attr, given.Expr, path, pointer, out)
		}
		diags = append(diags, more...)
		if _, blank := value.(unknown); blank || more.HasErrors() {
			return nil, diags
		}
	}
	switch {
	case value != nil:
		return value, diags
	case attr.Required:
		return nil, append(diags, problem(head, "Missing argument", "%q is required here%s.", path, example(attr)))
	case attr.Default != nil:
		value, err := fromJSON(attr.Default)
		if err != nil {
			return nil, append(diags, problem(head, "Invalid schema", "The default of %q can't be read: %s. This is an error in the plugin.", path, err))
		}
		return canonical(attr.Type.Elem(), value), diags
	}
	return nil, diags
}

func example(attr schema.Attribute) string {
	if attr.Example != "" {
		return fmt.Sprintf(", such as %s = %s", attr.Name, attr.Example)
	}
	return fmt.Sprintf(": add %s = ..., %s", attr.Name, typeName(attr.Type))
}

func (d *decoder) nested(n schema.NestedBlock, given hcl.Blocks, path, pointer string, head *hcl.Range, out *decoded) (value, identity any, diags hcl.Diagnostics) {
	if n.Min > 0 && len(given) == 0 {
		return nil, nil, hcl.Diagnostics{problem(head, "Missing block", "A block %s { ... } is required here.", path)}
	}
	if n.Max > 0 && len(given) > n.Max {
		return nil, nil, hcl.Diagnostics{problem(&given[n.Max].DefRange, "Duplicate block", "%s may stand once; the first is at line %d. Merge them.",
			n.Name, given[0].DefRange.Start.Line)}
	}
	var values, identities []any
	counts := false
	for i, b := range given {
		where, at := path, pointer
		if n.Nesting == schema.List {
			where, at = schema.Index(path, i), pointer+"/"+strconv.Itoa(i)
		}
		out.ranges[where] = b.DefRange
		if d.refuse != nil {
			if diag := d.refuse(path, b); diag != nil {
				diags = append(diags, diag)
				continue
			}
		}
		if n.Deprecated != "" {
			diags = append(diags, &hcl.Diagnostic{
				Severity: hcl.DiagWarning, Summary: "Deprecated block",
				Detail: fmt.Sprintf("%q is deprecated: %s.", path, n.Deprecated), Subject: &b.DefRange,
			})
		}
		tree, id, more := d.block(b.Body, n.Block, where, at, &b.DefRange, out)
		diags = append(diags, more...)
		for k, name := range n.Labels {
			tree[name] = b.Labels[k]
			if hasIdentity(n.Block) {
				id[name] = b.Labels[k]
			}
		}
		counts = counts || hasIdentity(n.Block)
		values, identities = append(values, tree), append(identities, id)
	}
	switch {
	case len(values) == 0:
		return nil, nil, diags
	case n.Nesting == schema.List && counts:
		return values, identities, diags
	case n.Nesting == schema.List:
		return values, nil, diags
	case counts:
		return values[0], identities[0], diags
	}
	return values[0], nil, diags
}

// hasIdentity reports whether anything in the block counts in the identity.
func hasIdentity(b schema.Block) bool {
	for _, a := range b.Attributes {
		if a.Identity {
			return true
		}
	}
	for _, n := range b.Blocks {
		if hasIdentity(n.Block) {
			return true
		}
	}
	return len(b.Attributes) == 0 && len(b.Blocks) == 0 // only labels, or an empty block that is a switch
}
