package cli

import "github.com/sandlot-dev/sandlot/host/internal/config"

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
		in = config.Input{File: text}
	}
	*f.list = append(*f.list, in)
	return nil
}

// String implements pflag.Value.
func (f *inputFlag) String() string { return "" }

// Type implements pflag.Value.
func (f *inputFlag) Type() string { return "string" }
