package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/hashicorp/hcl/v2"
)

// problem is an error diagnostic: what is wrong, why, and what to do about it.
func problem(at *hcl.Range, summary, detail string, args ...any) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: fmt.Sprintf(detail, args...), Subject: at}
}

// tidy orders diagnostics by file and line and drops the expressions they carry:
// a renderer would print the values of variables from them.
func tidy(diags hcl.Diagnostics) hcl.Diagnostics {
	for _, d := range diags {
		d.Expression, d.EvalContext, d.Extra = nil, nil, nil
	}
	slices.SortStableFunc(diags, func(a, b *hcl.Diagnostic) int {
		x, y := place(a), place(b)
		return cmp.Or(cmp.Compare(x.Filename, y.Filename), cmp.Compare(x.Start.Byte, y.Start.Byte))
	})
	if more := len(diags) - maxProblems; more > 0 {
		first := diags[maxProblems]
		diags = append(slices.Clone(diags[:maxProblems]), problem(first.Subject, "Many problems",
			"%d more problems from here on aren't shown. Mend those above first.", more))
	}
	return diags
}

// maxProblems is how many diagnostics anybody reads; a single expression can
// have one for each of its operators.
const maxProblems = 100

func place(d *hcl.Diagnostic) hcl.Range {
	if d.Subject == nil {
		return hcl.Range{}
	}
	return *d.Subject
}

// didYouMean is ` Did you mean "x"?` for the name most like given, or nothing.
func didYouMean(given string, known []string) string {
	if s := closest(given, known); s != "" {
		return fmt.Sprintf(" Did you mean %q?", s)
	}
	return ""
}

// Closest is the one of the known names that is most like the given one; empty if
// none is.
func Closest(given string, known []string) string { return closest(given, known) }

func closest(given string, known []string) string {
	best, least := "", 3
	for _, name := range known {
		if d := levenshtein.Distance(given, name, nil); d < least && d < len(name) {
			best, least = name, d
		}
	}
	return best
}

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(out, ", ")
}
