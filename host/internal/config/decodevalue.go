package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// value evaluates an attribute and converts it to its type's JSON form. Null is
// nil: as if it hadn't been written.
func (d *decoder) value(attr schema.Attribute, expr hcl.Expression, path, pointer string, out *decoded) (any, hcl.Diagnostics) {
	v, diags := d.scope.eval(expr)
	if diags.HasErrors() {
		return nil, diags
	}
	secrets, variables := markNames(v)
	switch {
	case len(variables) > 0:
		return nil, append(diags, problem(expr.Range().Ptr(), "Sensitive variable out of place",
			"var.%s is sensitive, and what stands here is stored and shown. Declare secret \"NAME\" { value = var.%s } and use secret.NAME where a secret may go: %s.",
			variables[0], variables[0], secretPlaces))
	case len(secrets) > 0 && !attr.Sensitive:
		return nil, append(diags, d.refused(secrets[0], path, expr))
	case !v.IsWhollyKnown():
		return unknown{}, diags
	}
	c := converter{decoder: d, attr: attr, out: out}
	value, _ := c.convert(v, attr.Type, expr, path, pointer)
	return value, append(diags, c.diags...)
}

// unknown is the value of what is made of something that has its own diagnostic.
type unknown struct{}

const secretPlaces = "a workspace's env and secrets, the token of its source, headers and env of its MCP servers, and the attributes of a provider or harness that its documentation calls sensitive"

func (d *decoder) refused(name, path string, expr hcl.Expression) *hcl.Diagnostic {
	return problem(expr.Range().Ptr(), "Secret out of place", "secret.%s can't stand in \"%s\". A secret may go into %s.", name, path, secretPlaces)
}

// converter converts one attribute's value.
type converter struct {
	*decoder
	attr  schema.Attribute
	out   *decoded
	diags hcl.Diagnostics
}

// convert returns the JSON form of v and the names of the secrets found in it.
// Marks say which secrets v was made of; one that isn't found has been lost on
// the way, by a comparison say.
func (c *converter) convert(v cty.Value, t schema.Type, expr hcl.Expression, path, pointer string) (any, []string) {
	v, marks := v.Unmark()
	var value any
	var found []string
	switch {
	case v.IsNull():
	case t.IsList():
		value, found = c.list(v, t, expr, path, pointer)
	case t.IsMap():
		value, found = c.mapping(v, t, expr, path, pointer)
	case t == schema.Sensitive:
		value, found = c.sensitive(v, expr, path, pointer)
	default:
		value = c.scalar(v, t, expr, path)
	}
	names, _ := namesOf(marks)
	for _, name := range names {
		if !slices.Contains(found, name) && len(c.diags) == 0 {
			c.fail(expr, "Secret lost", "\"%s\" depends on the value of secret.%s, which isn't known here. "+
				"A secret can be used whole, inside a template, or with bearer(); it can't be compared or decide anything.", path, name)
		}
	}
	return value, found
}

func (c *converter) fail(expr hcl.Expression, summary, detail string, args ...any) {
	c.diags = append(c.diags, problem(expr.Range().Ptr(), summary, detail, args...))
}

func (c *converter) wrongType(v cty.Value, t schema.Type, expr hcl.Expression, path string) {
	c.fail(expr, "Wrong type", "\"%s\" needs %s; this is %s.", path, typeName(t), article(valueName(v.Type())))
}

func (c *converter) list(v cty.Value, t schema.Type, expr hcl.Expression, path, pointer string) (any, []string) {
	if ty := v.Type(); !ty.IsTupleType() && !ty.IsListType() && !ty.IsSetType() {
		c.wrongType(v, t, expr, path)
		return nil, nil
	}
	list, found := []any{}, []string(nil)
	for i, elem := range v.AsValueSlice() {
		value, names := c.element(elem, t, elementExpr(expr, i), schema.Index(path, i), pointer+"/"+strconv.Itoa(i))
		list, found = append(list, value), append(found, names...)
	}
	return list, found
}

func (c *converter) mapping(v cty.Value, t schema.Type, expr hcl.Expression, path, pointer string) (any, []string) {
	if !v.Type().IsObjectType() && !v.Type().IsMapType() {
		c.wrongType(v, t, expr, path)
		return nil, nil
	}
	object, found := map[string]any{}, []string(nil)
	elems := v.AsValueMap()
	for _, key := range slices.Sorted(maps.Keys(elems)) {
		if c.marks.holds(key) {
			c.fail(expr, "Secret out of place", "A key of %q is made of a secret. Only values may be.", path)
			return nil, nil
		}
		if c.holdsNUL(key, expr, path) {
			return nil, nil
		}
		value, names := c.element(elems[key], t, keyExpr(expr, key), schema.Key(path, key), pointer+"/"+escapePointer.Replace(key))
		object[key], found = value, append(found, names...)
	}
	return object, found
}

func (c *converter) element(v cty.Value, t schema.Type, expr hcl.Expression, path, pointer string) (any, []string) {
	c.out.ranges[path] = expr.Range()
	value, found := c.convert(v, t.Elem(), expr, path, pointer)
	if value == nil && len(c.diags) == 0 {
		c.fail(expr, "Null element", "\"%s\" is null. Leave it out.", path)
	}
	return value, found
}

func (c *converter) sensitive(v cty.Value, expr hcl.Expression, path, pointer string) (any, []string) {
	s, err := convert.Convert(v, cty.String)
	if err != nil {
		c.wrongType(v, schema.Sensitive, expr, path)
		return nil, nil
	}
	if c.holdsNUL(s.AsString(), expr, path) {
		return nil, nil
	}
	value, whole := c.decoder.marks.split(s.AsString())
	names := value.Secrets()
	switch {
	case !whole:
		c.fail(expr, "Secret lost", "A secret in \"%s\" was taken apart; its value isn't known here. Use it whole, inside a template, or with bearer().", path)
	case len(names) == 0 && c.attr.Type == schema.Sensitive:
		// Elements of lists and maps may be plain: not every header is secret.
		c.scrub.add(s.AsString())
		c.fail(expr, "Secret in plain text", "\"%s\" is sensitive, and plain text would be stored. "+
			"Declare secret \"NAME\" { env = \"VARIABLE\" } and write %s = secret.NAME.", path, c.attr.Name)
	}
	c.out.sensitive = append(c.out.sensitive, pointer)
	c.out.secrets = append(c.out.secrets, names...)
	return value, names
}

// holdsNUL refuses a character that paths, arguments and variables can't have:
// what is found out at the agent's start has no line any more.
func (c *converter) holdsNUL(s string, expr hcl.Expression, path string) bool {
	if !strings.ContainsRune(s, 0) {
		return false
	}
	c.fail(expr, "NUL character", "\"%s\" can't hold the character \\u0000. Remove it.", path)
	return true
}

// scalar converts what isn't sensitive.
func (c *converter) scalar(v cty.Value, t schema.Type, expr hcl.Expression, path string) any {
	want := cty.String
	switch t {
	case schema.Bool:
		want = cty.Bool
	case schema.Int, schema.Number:
		want = cty.Number
	}
	converted, err := convert.Convert(v, want)
	if err != nil {
		c.wrongType(v, t, expr, path)
		return nil
	}
	switch t {
	case schema.Bool:
		return converted.True()
	case schema.Int:
		if n, exact := converted.AsBigFloat().Int64(); exact == big.Exact {
			return json.Number(strconv.FormatInt(n, 10))
		}
		c.fail(expr, "Wrong type", "\"%s\" needs a whole number of at most 64 bits.", path)
		return nil
	case schema.Number:
		if f, _ := converted.AsBigFloat().Float64(); !math.IsInf(f, 0) {
			return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
		}
		c.fail(expr, "Wrong type", "\"%s\" is too large a number.", path)
		return nil
	case schema.Duration:
		return c.duration(converted.AsString(), v, expr, path)
	}
	s := converted.AsString()
	switch {
	case c.holdsNUL(s, expr, path):
		return nil
	case !c.decoder.marks.holds(s):
		return s
	}
	c.fail(expr, "Secret out of place", "\"%s\" is made of a secret. A secret may go into %s.", path, secretPlaces)
	return nil
}

func (c *converter) duration(text string, v cty.Value, expr hcl.Expression, path string) any {
	parsed, err := time.ParseDuration(text)
	switch {
	case err != nil && v.Type() == cty.Number:
		c.fail(expr, "Invalid duration", "\"%s\" has no unit. Write \"%ss\" for seconds, or \"%sm\" for minutes.", path, text, text)
		return nil
	case err != nil:
		c.fail(expr, "Invalid duration", "\"%s\" isn't a duration: %q. Write one such as \"90s\", \"10m\" or \"1h30m\".", path, text)
		return nil
	}
	return parsed.String() // one spelling, so that "60s" and "1m" are the same sandbox
}

func fromJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, errors.New("not valid JSON")
	}
	return value, nil
}

// canonical spells a default as convert spells what a person writes, so that
// writing the default out doesn't ask for another sandbox.
func canonical(elem schema.Type, value any) any {
	switch v := value.(type) {
	case string:
		if parsed, err := time.ParseDuration(v); err == nil && elem == schema.Duration {
			return parsed.String()
		}
	case json.Number:
		if f, err := v.Float64(); err == nil && elem == schema.Number {
			return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
		}
	case []any:
		for i := range v {
			v[i] = canonical(elem, v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = canonical(elem, v[key])
		}
	}
	return value
}

// secretsIn are the names of the secrets in a decoded sensitive value, sorted,
// each once.
func secretsIn(value any) []string {
	names := []string{}
	switch v := value.(type) {
	case Value:
		names = v.Secrets()
	case []any:
		for _, elem := range v {
			names = append(names, secretsIn(elem)...)
		}
	case map[string]any:
		for _, elem := range v {
			names = append(names, secretsIn(elem)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// elementExpr is the expression of a list's i-th element, if it is written out.
func elementExpr(expr hcl.Expression, i int) hcl.Expression {
	if list, ok := unwrap(expr).(*hclsyntax.TupleConsExpr); ok && i < len(list.Exprs) {
		return list.Exprs[i]
	}
	return expr
}

// keyExpr is the expression of a map's value, if it is written out.
func keyExpr(expr hcl.Expression, key string) hcl.Expression {
	object, ok := unwrap(expr).(*hclsyntax.ObjectConsExpr)
	if !ok {
		return expr
	}
	for _, item := range object.Items {
		if k, diags := item.KeyExpr.Value(nil); !diags.HasErrors() && k.Type() == cty.String && !k.IsNull() && k.AsString() == key {
			return item.ValueExpr
		}
	}
	return expr
}

func unwrap(expr hcl.Expression) hcl.Expression {
	for {
		p, ok := expr.(*hclsyntax.ParenthesesExpr)
		if !ok {
			return expr
		}
		expr = p.Expression
	}
}
