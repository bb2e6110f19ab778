package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"
)

type role int

const (
	attributeRole role = iota
	blockRole
	labelRole
)

// field is one tagged field of a configuration struct. Of and Decode both walk
// fields, so that they can't differ about a tag.
type field struct {
	index    int
	name     string
	role     role
	optional bool
	typ      reflect.Type // with one pointer taken off
	pointer  bool
	tag      reflect.StructTag
	wire     Type            // attributes only
	def      json.RawMessage // attributes only
}

var nameRE = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

var (
	secretType   = reflect.TypeFor[Secret]()
	durationType = reflect.TypeFor[time.Duration]()
)

// fieldsOf reads the tags of a struct type. Fields without an hcl tag are the
// author's own and left alone.
func fieldsOf(t reflect.Type) ([]field, error) {
	var fields []field
	seen := map[string]string{}
	for i := range t.NumField() {
		sf := t.Field(i)
		tag, ok := sf.Tag.Lookup("hcl")
		if !ok {
			if _, has := sf.Tag.Lookup("default"); has {
				return nil, fmt.Errorf("field %s.%s: has a default but no hcl tag", t, sf.Name)
			}
			continue
		}
		f, err := fieldOf(sf, tag)
		if err != nil {
			return nil, fmt.Errorf("field %s.%s: %w", t, sf.Name, err)
		}
		if other, dup := seen[f.name]; dup {
			return nil, fmt.Errorf("field %s.%s: the name %q is taken by field %s", t, sf.Name, f.name, other)
		}
		seen[f.name] = sf.Name
		f.index = i
		fields = append(fields, f)
	}
	return fields, nil
}

func fieldOf(sf reflect.StructField, tag string) (field, error) {
	name, kind, _ := strings.Cut(tag, ",")
	f := field{name: name, typ: sf.Type, tag: sf.Tag}
	if !sf.IsExported() {
		return f, fmt.Errorf("must be exported")
	}
	if !nameRE.MatchString(name) {
		return f, fmt.Errorf("the name %q must be lower case letters, digits and underscores", name)
	}
	if id, ok := sf.Tag.Lookup("identity"); ok && id != "true" && id != "false" {
		return f, fmt.Errorf(`identity is "true" or "false", not %q`, id)
	}
	if f.typ.Kind() == reflect.Pointer {
		f.typ, f.pointer = f.typ.Elem(), true
	}
	switch kind {
	case "block":
		f.role = blockRole
		return f, checkBlock(f)
	case "label":
		f.role = labelRole
		if f.pointer || f.typ.Kind() != reflect.String {
			return f, fmt.Errorf("a label must be a string, not %s", sf.Type)
		}
		return f, nil
	case "optional":
		f.optional = true
	case "":
	default:
		return f, fmt.Errorf("unknown option %q in the hcl tag (optional, block or label)", kind)
	}
	wire, err := wireType(f.typ)
	if err != nil {
		return f, err
	}
	if f.pointer && f.typ.Kind() != reflect.Struct && wire != wire.Elem() {
		return f, fmt.Errorf("a pointer to a list or map isn't supported: use the optional tag")
	}
	f.wire = wire
	if text, ok := sf.Tag.Lookup("default"); ok {
		if f.def, err = parseDefault(wire, text); err != nil {
			return f, err
		}
	}
	return f, nil
}

func checkBlock(f field) error {
	if _, ok := f.tag.Lookup("default"); ok {
		return fmt.Errorf("a block has no default")
	}
	t := f.typ
	if t.Kind() == reflect.Slice && !f.pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == secretType {
		return fmt.Errorf("a block must be a struct, a pointer to one or a slice of them, not %s", f.typ)
	}
	return nil
}

func wireType(t reflect.Type) (Type, error) {
	switch t.Kind() {
	case reflect.Slice:
		elem, err := scalarType(t.Elem())
		return ListOf(elem), err
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return "", fmt.Errorf("the keys of %s must be strings", t)
		}
		elem, err := scalarType(t.Elem())
		return MapOf(elem), err
	}
	return scalarType(t)
}

func scalarType(t reflect.Type) (Type, error) {
	switch {
	case t == secretType:
		return Sensitive, nil
	case t == durationType:
		return Duration, nil
	}
	switch t.Kind() {
	case reflect.String:
		return String, nil
	case reflect.Bool:
		return Bool, nil
	case reflect.Int, reflect.Int64:
		return Int, nil
	case reflect.Float64:
		return Number, nil
	}
	return "", fmt.Errorf("the type %s isn't supported (string, bool, int, int64, float64, time.Duration, schema.Secret, "+
		"lists and string-keyed maps of them; structs only with the block tag)", t)
}

func (f field) required() bool {
	return !f.optional && !f.pointer && f.def == nil
}

func (f field) identity() bool { return f.tag.Get("identity") != "false" }
