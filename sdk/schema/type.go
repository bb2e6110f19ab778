package schema

import "strings"

// Type is the wire name of an attribute's type: one of the scalars below, or
// `list(SCALAR)` or `map(SCALAR)`. Nothing else exists.
type Type string

// The scalar types and their JSON values.
const (
	String    Type = "string"   // a string
	Bool      Type = "bool"     // true or false
	Int       Type = "int"      // a whole number that fits 64 bits
	Number    Type = "number"   // any number
	Duration  Type = "duration" // a string such as "1m30s", as time.ParseDuration reads it
	Sensitive Type = "secret"   // a string nobody may print
)

// ListOf is the type of a list whose elements have the scalar type elem.
func ListOf(elem Type) Type { return "list(" + elem + ")" }

// MapOf is the type of a map from strings to the scalar type elem.
func MapOf(elem Type) Type { return "map(" + elem + ")" }

// IsList reports whether t is a list.
func (t Type) IsList() bool { return strings.HasPrefix(string(t), "list(") }

// IsMap reports whether t is a map.
func (t Type) IsMap() bool { return strings.HasPrefix(string(t), "map(") }

// Elem is the scalar type of a list's or map's elements, and t itself for a scalar.
func (t Type) Elem() Type {
	for _, prefix := range []string{"list(", "map("} {
		if rest, ok := strings.CutPrefix(string(t), prefix); ok {
			return Type(strings.TrimSuffix(rest, ")"))
		}
	}
	return t
}

// Sensitive reports whether values of t hold secrets.
func (t Type) Sensitive() bool { return t.Elem() == Sensitive }

// Valid reports whether t is in the closed set. The host checks it for schemas
// that come over the wire.
func (t Type) Valid() bool {
	elem := t.Elem()
	switch elem {
	case String, Bool, Int, Number, Duration, Sensitive:
		return t == elem || t == ListOf(elem) || t == MapOf(elem)
	}
	return false
}
