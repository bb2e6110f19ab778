package cli

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

// errEmpty says that a flag or argument was given and is empty, as where a shell's
// variable isn't set: it isn't taken for one left out.
var errEmpty = errors.New("it is empty; give a value or leave it out")

// inputFlag collects --var and --var-file in the order they were given, since a
// later one wins over an earlier one of either kind.
type inputFlag struct {
	list *[]config.Input
	file bool
}

// Set implements pflag.Value.
func (f *inputFlag) Set(text string) error {
	in := config.Input{Var: text}
	if f.file {
		if text == "" {
			return errEmpty // the zero Input is of another flag
		}
		in = config.Input{File: text}
	}
	*f.list = append(*f.list, in)
	return nil
}

// String implements pflag.Value.
func (f *inputFlag) String() string { return "" }

// Type implements pflag.Value.
func (f *inputFlag) Type() string { return "string" }

// noneEmpty refuses a flag that was given an empty name: a thread that a script
// forgot to set must not become a new one.
func noneEmpty(c *cobra.Command) error {
	var err error
	c.Flags().Visit(func(f *pflag.Flag) {
		if _, input := f.Value.(*inputFlag); !input && f.Value.Type() == "string" && f.Value.String() == "" {
			err = usagef("--%s: %w", f.Name, errEmpty)
		}
	})
	return err
}
