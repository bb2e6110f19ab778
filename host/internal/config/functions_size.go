package config

import (
	"regexp"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// sizes are the functions that make much of little, with what their result will
// hold: elements, bytes. To make it first and look at it then would end the
// process, for want of memory.
var sizes = map[string]func(args []cty.Value) (elements, bytes float64){
	"setproduct": func(args []cty.Value) (float64, float64) {
		n := 1.0
		for _, a := range args {
			if !a.CanIterateElements() {
				return 0, 0
			}
			n *= float64(a.LengthInt())
		}
		return n, 0
	},
	"indent": func(args []cty.Value) (float64, float64) {
		if len(args) < 2 || !isNumber(args[0]) || !isText(args[1]) {
			return 0, 0
		}
		spaces, _ := args[0].AsBigFloat().Float64()
		return 0, spaces * float64(strings.Count(args[1].AsString(), "\n"))
	},
	"join": func(args []cty.Value) (float64, float64) {
		if len(args) < 1 || !isText(args[0]) {
			return 0, 0
		}
		n := 0
		for _, list := range args[1:] {
			if list.CanIterateElements() {
				n += list.LengthInt()
			}
		}
		return 0, float64(n) * float64(len(args[0].AsString()))
	},
	"replace": func(args []cty.Value) (float64, float64) {
		if len(args) < 3 || !isText(args[0]) || !isText(args[1]) || !isText(args[2]) {
			return 0, 0
		}
		return 0, float64(strings.Count(args[0].AsString(), args[1].AsString())) * float64(len(args[2].AsString()))
	},
	"regexreplace": func(args []cty.Value) (float64, float64) {
		if len(args) < 3 || !isText(args[0]) || !isText(args[1]) || !isText(args[2]) {
			return 0, 0
		}
		pattern, err := regexp.Compile(args[1].AsString())
		if err != nil {
			return 0, 0
		}
		text, by := args[0].AsString(), args[2].AsString()
		found := len(pattern.FindAllStringIndex(text, -1))
		return 0, float64(found)*float64(len(by)) + float64(strings.Count(by, "$"))*float64(len(text))
	},
}

// checkSize refuses a call whose result would be too large.
func checkSize(name string, args []cty.Value) error {
	size, ok := sizes[name]
	if !ok {
		return nil
	}
	plain := make([]cty.Value, len(args))
	for i, a := range args {
		plain[i], _ = a.Unmark()
	}
	if elements, bytes := size(plain); elements > maxNodes || bytes > maxBytes {
		return function.NewArgErrorf(0, "%s() would make more than %d elements or %d MiB of this; give it less", name, maxNodes, maxBytes>>20)
	}
	return nil
}

func isText(v cty.Value) bool   { return v.IsKnown() && !v.IsNull() && v.Type() == cty.String }
func isNumber(v cty.Value) bool { return v.IsKnown() && !v.IsNull() && v.Type() == cty.Number }
