package config

import (
	"errors"
	"fmt"
	"maps"

	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// pure are the functions that depend on their arguments only, under the names
// HCL users know.
func pure() map[string]function.Function {
	return map[string]function.Function{
		"abs": stdlib.AbsoluteFunc, "ceil": stdlib.CeilFunc, "floor": stdlib.FloorFunc, "log": stdlib.LogFunc,
		"max": stdlib.MaxFunc, "min": stdlib.MinFunc, "parseint": stdlib.ParseIntFunc, "pow": stdlib.PowFunc, "signum": stdlib.SignumFunc,

		"chomp": stdlib.ChompFunc, "format": stdlib.FormatFunc, "formatlist": stdlib.FormatListFunc, "indent": stdlib.IndentFunc,
		"join": stdlib.JoinFunc, "lower": stdlib.LowerFunc, "regex": stdlib.RegexFunc, "regexall": stdlib.RegexAllFunc,
		"replace": stdlib.ReplaceFunc, "regexreplace": stdlib.RegexReplaceFunc, "split": stdlib.SplitFunc, "strlen": stdlib.StrlenFunc,
		"strrev": stdlib.ReverseFunc, "substr": stdlib.SubstrFunc, "title": stdlib.TitleFunc, "trim": stdlib.TrimFunc,
		"trimprefix": stdlib.TrimPrefixFunc, "trimspace": stdlib.TrimSpaceFunc, "trimsuffix": stdlib.TrimSuffixFunc, "upper": stdlib.UpperFunc,

		"chunklist": stdlib.ChunklistFunc, "coalesce": stdlib.CoalesceFunc, "coalescelist": stdlib.CoalesceListFunc,
		"compact": stdlib.CompactFunc, "concat": stdlib.ConcatFunc, "contains": stdlib.ContainsFunc, "distinct": stdlib.DistinctFunc,
		"element": stdlib.ElementFunc, "flatten": stdlib.FlattenFunc, "keys": stdlib.KeysFunc, "length": stdlib.LengthFunc,
		"lookup": stdlib.LookupFunc, "merge": stdlib.MergeFunc, "range": stdlib.RangeFunc, "reverse": stdlib.ReverseListFunc,
		"setintersection": stdlib.SetIntersectionFunc, "setproduct": stdlib.SetProductFunc, "setsubtract": stdlib.SetSubtractFunc,
		"setunion": stdlib.SetUnionFunc, "slice": stdlib.SliceFunc, "sort": stdlib.SortFunc, "values": stdlib.ValuesFunc, "zipmap": stdlib.ZipmapFunc,

		"tobool": stdlib.MakeToFunc(cty.Bool), "tolist": stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)),
		"tomap": stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)), "tonumber": stdlib.MakeToFunc(cty.Number),
		"toset": stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)), "tostring": stdlib.MakeToFunc(cty.String),

		"base64decode": base64Decode, "base64encode": base64Encode, "csvdecode": stdlib.CSVDecodeFunc, "jsondecode": jsonDecode,
		"jsonencode": stdlib.JSONEncodeFunc, "sha256": sha256Func, "urlencode": urlEncode,
		"formatdate": stdlib.FormatDateFunc, "timeadd": stdlib.TimeAddFunc,
	}
}

// composing are the functions a secret may pass through: they keep a string
// whole. The strict ones must not lose a single occurrence either.
var composing = map[string]struct{ strict bool }{
	"bearer": {true}, "format": {true}, "join": {true},
	"coalesce": {}, "coalescelist": {}, "compact": {}, "concat": {}, "element": {}, "flatten": {}, "keys": {}, "lookup": {}, "merge": {},
	"reverse": {}, "slice": {}, "tolist": {}, "templatefile": {}, "tomap": {}, "tostring": {}, "values": {}, "zipmap": {},
}

// functions returns all functions for the files of one folder. Getenv is nil
// where env() may not stand.
func functions(folder string, marks placeholders, getenv func(string) (string, bool)) map[string]function.Function {
	all := pure()
	all["bearer"] = bearerFunc
	all["file"] = fileFunc(folder)
	all["env"] = envFunc(getenv)
	// A template gets every function but templatefile, or it could include itself.
	all["templatefile"] = templateFunc(folder, guarded(all, marks))
	return guarded(all, marks)
}

func guarded(all map[string]function.Function, marks placeholders) map[string]function.Function {
	out := make(map[string]function.Function, len(all)+2)
	for name, f := range maps.All(all) {
		out[name] = guardSecrets(name, f, marks)
	}
	out["try"], out["can"] = tryfunc.TryFunc, tryfunc.CanFunc // these evaluate their arguments themselves, through out
	return out
}

// guardSecrets wraps f so that it refuses secrets it would take apart, and so
// that its errors, which often quote an argument, don't quote a sensitive one.
func guardSecrets(name string, f function.Function, marks placeholders) function.Function {
	params := append([]function.Parameter(nil), f.Params()...)
	for i := range params {
		params[i].AllowMarked = true
	}
	var rest *function.Parameter
	if v := f.VarParam(); v != nil {
		copied := *v
		copied.AllowMarked = true
		rest = &copied
	}
	check := func(args []cty.Value) (marked bool, placed int, err error) {
		_, composes := composing[name]
		for i, arg := range args {
			secrets, variables := markNames(arg)
			marked = marked || len(secrets)+len(variables) > 0
			if len(secrets) > 0 && !composes {
				return marked, 0, function.NewArgErrorf(i, "secret.%s can't pass through %s(): only its name is known here, and the function "+
					"would need its value. Use the secret whole, inside a template, or with bearer()", secrets[0], name)
			}
			placed += countDeep(arg, marks)
		}
		return marked, placed, checkSize(name, args)
	}
	hide := func(err error, marked bool) error {
		if crash := (function.PanicError{}); errors.As(err, &crash) {
			return errors.New("it can't work with these arguments")
		}
		if err != nil && marked {
			return errors.New("it can't work with these arguments (one of them is sensitive, so they aren't shown)")
		}
		return err
	}
	return function.New(&function.Spec{
		Description: f.Description(), Params: params, VarParam: rest,
		Type: func(args []cty.Value) (cty.Type, error) {
			marked, _, err := check(args)
			if err != nil {
				return cty.DynamicPseudoType, err
			}
			t, err := f.ReturnTypeForValues(args)
			return t, hide(err, marked)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			marked, placed, err := check(args)
			if err != nil {
				return cty.DynamicVal, err
			}
			v, err := f.Call(args)
			if err != nil {
				return v, hide(err, marked)
			}
			if composing[name].strict && countDeep(v, marks) < placed {
				return cty.DynamicVal, fmt.Errorf("it would cut a secret off, whose value isn't known here; use the secret whole")
			}
			return v, nil
		},
	})
}

// countDeep is the number of whole placeholders anywhere in v.
func countDeep(v cty.Value, marks placeholders) int {
	v, valueMarks := v.UnmarkDeep()
	if len(valueMarks) == 0 || !v.IsWhollyKnown() {
		return 0
	}
	n := 0
	_ = cty.Walk(v, func(_ cty.Path, v cty.Value) (bool, error) {
		if v.Type() == cty.String && !v.IsNull() {
			n += marks.count(v.AsString())
		}
		return true, nil
	})
	return n
}
