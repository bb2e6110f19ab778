package main

import (
	"fmt"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/proctree"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// stringLimit is how long one argument or variable may be on Linux, its final
// NUL included. All together may be a quarter of the stack's limit, mostly 2 MiB.
const stringLimit = 128 << 10

// tooBig says what to leave out of a command that the kernel found too big. It
// names variables and never shows their values.
func tooBig(spec proctree.Spec, cause error) error {
	args, argsBig := weigh(spec.Argv)
	env, envBig := weigh(spec.Env)
	e := &sandbox.Error{Class: sandbox.Invalid, Cause: cause}
	e.Message = fmt.Sprintf("start process %s: %v: its %d arguments have %d KiB, its %d variables %d KiB",
		spec.ID, cause, len(spec.Argv), args>>10, len(spec.Env), env>>10)
	switch name, _, _ := strings.Cut(envBig, "="); {
	case len(envBig) >= stringLimit:
		e.Message += fmt.Sprintf("; the variable %s alone has %d KiB, and one may have %d", name, len(envBig)>>10, stringLimit>>10)
		e.Hint = "hand a long value over in a file; if it comes from your shell, name it in scrub_env of the provider"
	case len(argsBig) >= stringLimit:
		e.Message += fmt.Sprintf("; one argument has %d KiB, and it may have %d", len(argsBig)>>10, stringLimit>>10)
		e.Hint = "hand a long text over on stdin or in a file"
	case env > args:
		e.Message += fmt.Sprintf("; the largest variable is %s with %d KiB", name, len(envBig)>>10)
		e.Hint = "leave variables of your shell out with inherit_env or scrub_env of the provider"
	default:
		e.Hint = "hand long arguments over on stdin or in a file"
	}
	return e
}

// weigh returns the length of a list and its longest entry.
func weigh(list []string) (total int, longest string) {
	for _, s := range list {
		total += len(s) + 1
		if len(s) > len(longest) {
			longest = s
		}
	}
	return total, longest
}
