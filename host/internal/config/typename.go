package config

import (
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// typeName is a type in words, with its article.
func typeName(t schema.Type) string {
	one := map[schema.Type]string{
		schema.String: "a string", schema.Bool: "true or false", schema.Int: "a whole number", schema.Number: "a number",
		schema.Duration: `a duration such as "90s"`, schema.Sensitive: "a secret",
	}
	many := map[schema.Type]string{
		schema.String: "strings", schema.Bool: "booleans", schema.Int: "whole numbers", schema.Number: "numbers",
		schema.Duration: "durations", schema.Sensitive: "strings or secrets",
	}
	switch {
	case t.IsList():
		return "a list of " + many[t.Elem()]
	case t.IsMap():
		return "a map of " + many[t.Elem()]
	}
	return one[t]
}

// valueName is what a value is, in the words of those who write files: HCL makes
// a tuple of [...] and an object of {...}, which nobody needs to know.
func valueName(t cty.Type) string {
	switch {
	case t.IsTupleType():
		return "list"
	case t.IsObjectType():
		return "map"
	}
	return t.FriendlyName()
}

// article puts a or an before a noun.
func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}
