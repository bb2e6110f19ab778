package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// maxLoops is how often one for expression may run its body, those inside of it
// counted too.
const maxLoops = 100_000

// boundLoops makes each for expression in a file or a template stop where it has
// run its body too often, or made too much text. HCL itself knows no bound, and
// can't be interrupted: three loops within each other would take the evening.
func boundLoops(node hclsyntax.Node) {
	_ = hclsyntax.Walk(node, &loopWalker{})
}

// loopWalker changes the expressions that it walks.
type loopWalker struct {
	depth int
	spent *spending // what the outermost loop and those inside it share
}

// Enter implements hclsyntax.Walker.
func (w *loopWalker) Enter(node hclsyntax.Node) hcl.Diagnostics {
	if _, ok := node.(*hclsyntax.ForExpr); ok {
		if w.depth == 0 {
			w.spent = &spending{}
		}
		w.depth++
	}
	return nil
}

// Exit implements hclsyntax.Walker.
func (w *loopWalker) Exit(node hclsyntax.Node) hcl.Diagnostics {
	if e, ok := node.(*hclsyntax.ForExpr); ok {
		w.depth--
		e.CollExpr = &loopOver{inParentheses(e.CollExpr), w.spent, w.depth == 0}
		e.ValExpr = &loopBody{inParentheses(e.ValExpr), w.spent}
	}
	return nil
}

// inParentheses keeps an expression where whoever walks the tree finds it.
func inParentheses(e hclsyntax.Expression) *hclsyntax.ParenthesesExpr {
	return &hclsyntax.ParenthesesExpr{Expression: e, SrcRange: e.Range()}
}

// spending is what a loop has used so far.
type spending struct {
	times, bytes int
	over         bool // and has been told
}

func (s *spending) add(times, bytes int, at hcl.Range) hcl.Diagnostics {
	s.times, s.bytes = s.times+times, s.bytes+bytes
	if s.times <= maxLoops && s.bytes <= maxBytes {
		return nil
	}
	s.over = true
	return hcl.Diagnostics{problem(&at, "Loop too long",
		"This for expression, with those inside of it, runs more than %d times or makes more than %d MiB of text. Loop over less.", maxLoops, maxBytes>>20)}
}

// loopOver is what a for expression loops over. Once too much is spent it is an
// unknown value, over which no loop is run.
type loopOver struct {
	*hclsyntax.ParenthesesExpr

	spent     *spending
	outermost bool
}

// Value implements hclsyntax.Expression.
func (l *loopOver) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	if l.outermost {
		*l.spent = spending{}
	}
	if l.spent.over {
		return cty.DynamicVal, nil
	}
	v, diags := l.ParenthesesExpr.Value(ctx)
	if plain, _ := v.Unmark(); plain.CanIterateElements() {
		diags = append(diags, l.spent.add(plain.LengthInt(), 0, l.Range())...)
	}
	if l.spent.over {
		return cty.DynamicVal, diags
	}
	return v, diags
}

// loopBody is what a for expression makes of each element.
type loopBody struct {
	*hclsyntax.ParenthesesExpr

	spent *spending
}

// Value implements hclsyntax.Expression.
func (l *loopBody) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	if l.spent.over {
		return cty.DynamicVal, nil
	}
	v, diags := l.ParenthesesExpr.Value(ctx)
	if plain, _ := v.Unmark(); plain.IsKnown() && !plain.IsNull() && plain.Type() == cty.String {
		diags = append(diags, l.spent.add(0, len(plain.AsString()), l.Range())...)
	}
	if l.spent.over {
		return cty.DynamicVal, diags
	}
	return v, diags
}
