package runs

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// versionText is the most that a program may print for its version, in bytes.
const versionText = 64 << 10

// checkVersion refuses a program that is too old, before it gets the prompt. One that
// doesn't say how old it is may be started: the agent itself tells later, if it can.
func (p *pump) checkVersion(ctx context.Context, i int, prog harness.Program, dir string, env map[string]string) error {
	want := prog.Version
	if want == nil {
		return nil
	}
	var out tail
	_, err := p.tool(ctx, p.sandbox, sandbox.Command{
		ID: fmt.Sprintf("version-%d-%s", i, p.run.ID), Dir: dir, Env: env, Stdout: &out,
		Argv: slices.Concat([]string{prog.Name}, want.Args), Timeout: silence, MaxOutput: versionText,
	})
	switch {
	case errors.Is(err, sandbox.NotFound), errors.Is(err, sandbox.Denied), errors.Is(err, sandbox.Invalid):
		return nil // it can't be started, which is told when the agent is to be
	case err != nil:
		return fmt.Errorf("ask program %s for its version: %w", prog.Name, err)
	}
	got := versionIn(out.String())
	if got == "" || !older(got, want.From) {
		return nil
	}
	msg := fmt.Sprintf("%s is version %s, and this run needs %s or later: %s", prog.Name, got, want.From, want.Why)
	if prog.Install != "" {
		msg += "; mend it: " + prog.Install
	}
	return &endError{harness.ReasonCLITooOld, msg}
}

var dotted = regexp.MustCompile(`\d+(\.\d+)+`)

// versionIn is the first version in a text: numbers with dots between them; empty:
// there is none.
func versionIn(text string) string { return dotted.FindString(text) }

// older compares versions number by number; a number that is missing is 0.
func older(got, than string) bool {
	a, b := numbers(got), numbers(than)
	for i := range max(len(a), len(b)) {
		var x, y int
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return x < y
		}
	}
	return false
}

// numbers are those of a version. One too long for a number counts as the largest.
func numbers(version string) []int {
	var all []int
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part) // of digits only: it is right, or the largest there is
		all = append(all, n)
	}
	return all
}
