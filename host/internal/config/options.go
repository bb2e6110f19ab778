package config

import (
	"context"
	"fmt"

	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// Options is everything Load may know.
type Options struct {
	// Path is the file or folder of -f, relative to Dir; empty means Dir itself.
	Path string
	// Dir is the working directory, absolute.
	Dir string
	// Env looks a variable of the environment up; nil means none is set. It is asked
	// for SANDLOT_VAR_<name> of each declared variable and for what env() names.
	Env func(name string) (string, bool)
	// Inputs are the --var and --var-file flags in the order given; later wins.
	Inputs []Input
	// Schemas returns the configuration schema of a plugin, by kind ("provider" or
	// "harness") and type. A type it doesn't know is an [*UnknownTypeError].
	Schemas func(ctx context.Context, kind, typ string) (schema.Block, error)
	// Version of this build, checked against required_version; empty or not a
	// version number (a development build) isn't checked.
	Version string
}

// Input is one --var or --var-file flag: exactly one field is set.
type Input struct {
	// Var is "name=value".
	Var string
	// File is a file of `name = value` lines, relative to Dir.
	File string
}

// UnknownTypeError says that no plugin of a kind and type is installed.
type UnknownTypeError struct {
	// Kind is "provider" or "harness"; Type is what was asked for.
	Kind, Type string
	// Known are the types that are installed, for a suggestion.
	Known []string
	// Looked says where plugins were looked for; may be empty.
	Looked []string
}

// Error names kind and type.
func (e *UnknownTypeError) Error() string {
	return fmt.Sprintf("find %s plugin: no %q is installed", e.Kind, e.Type)
}
