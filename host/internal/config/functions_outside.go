package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// envFunc is env(name): the variable's value, or null if it isn't set. A null
// default is no default, and coalesce() takes another.
func envFunc(getenv func(string) (string, bool)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "name", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if getenv == nil {
				return cty.NullVal(cty.String), errors.New("env() works only in the default of a variable and in a secret block. " +
					`Declare variable "NAME" { default = env("X") } and use var.NAME here`)
			}
			if v, ok := getenv(args[0].AsString()); ok {
				return cty.StringVal(v), nil
			}
			return cty.NullVal(cty.String), nil
		},
	})
}

// fileFunc is file(path): the text of a file, path relative to folder.
func fileFunc(folder string) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			text, err := readText(args[0].AsString(), folder)
			return cty.StringVal(text), err
		},
	})
}

// templateFunc is templatefile(path, variables): a file rendered as a template.
func templateFunc(folder string, inside map[string]function.Function) function.Function {
	render := func(args []cty.Value) (cty.Value, error) {
		path := args[0].AsString()
		text, err := readText(path, folder)
		if err != nil {
			return cty.DynamicVal, err
		}
		if diags := guard([]byte(text), path, true); diags.HasErrors() {
			return cty.DynamicVal, errors.New(oneLine(diags[0]))
		}
		expr, diags := hclsyntax.ParseTemplate([]byte(text), path, hcl.InitialPos)
		if diags.HasErrors() {
			return cty.DynamicVal, errors.New(oneLine(diags[0]))
		}
		boundLoops(expr)
		if t := args[1].Type(); !t.IsObjectType() && !t.IsMapType() {
			return cty.DynamicVal, function.NewArgErrorf(1, "a map of the template's variables is needed")
		}
		vars, marks := args[1].Unmark()
		v, diags := expr.Value(&hcl.EvalContext{Variables: vars.AsValueMap(), Functions: inside})
		if diags.HasErrors() {
			return cty.DynamicVal, errors.New(oneLine(diags[0]))
		}
		return v.WithMarks(marks), nil
	}
	return function.New(&function.Spec{
		Params: []function.Parameter{
			{Name: "path", Type: cty.String},
			{Name: "vars", Type: cty.DynamicPseudoType, AllowMarked: true}, // marks must reach the functions inside
		},
		Type: func(args []cty.Value) (cty.Type, error) {
			v, err := render(args)
			return v.Type(), err
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return render(args) },
	})
}

func readText(path, folder string) (string, error) {
	data, err := readFile(absolute(path, folder))
	switch {
	case err != nil:
		return "", function.NewArgError(0, err)
	case len(data) > maxFile:
		return "", function.NewArgErrorf(0, "%s is larger than %d bytes", path, maxFile)
	}
	if d := guardUTF8(data, path); d != nil {
		return "", function.NewArgErrorf(0, "%s", oneLine(d))
	}
	return string(data), nil
}

func oneLine(d *hcl.Diagnostic) string {
	at := place(d)
	return fmt.Sprintf("%s:%d:%d: %s; %s", at.Filename, at.Start.Line, at.Start.Column, d.Summary, strings.TrimSuffix(d.Detail, "."))
}
