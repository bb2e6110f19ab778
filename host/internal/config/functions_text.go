package config

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/url"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// stringFunc is a function from a string to a string.
func stringFunc(f func(string) (string, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "str", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			s, err := f(args[0].AsString())
			return cty.StringVal(s), err
		},
	})
}

var (
	bearerFunc   = stringFunc(func(s string) (string, error) { return "Bearer " + s, nil })
	base64Encode = stringFunc(func(s string) (string, error) { return base64.StdEncoding.EncodeToString([]byte(s)), nil })
	urlEncode    = stringFunc(func(s string) (string, error) { return url.QueryEscape(s), nil })
	sha256Func   = stringFunc(func(s string) (string, error) {
		sum := sha256.Sum256([]byte(s))
		return hex.EncodeToString(sum[:]), nil
	})
	base64Decode = stringFunc(func(s string) (string, error) {
		data, err := base64.StdEncoding.DecodeString(s)
		if err != nil || !utf8.Valid(data) {
			return "", errors.New("the argument isn't the base64 form of UTF-8 text")
		}
		return string(data), nil
	})
)

// jsonDecode is the standard function behind a look at the nesting: the decoder
// recurses.
var jsonDecode = function.New(&function.Spec{
	Params: stdlib.JSONDecodeFunc.Params(),
	Type: func(args []cty.Value) (cty.Type, error) {
		if args[0].IsKnown() && jsonDepth(args[0].AsString()) > maxDepth {
			return cty.DynamicPseudoType, function.NewArgErrorf(0, "the JSON is nested more than %d deep", maxDepth)
		}
		return stdlib.JSONDecodeFunc.ReturnTypeForValues(args)
	},
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return stdlib.JSONDecodeFunc.Call(args) },
})

func jsonDepth(text string) int {
	depth, deepest, inString := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}
