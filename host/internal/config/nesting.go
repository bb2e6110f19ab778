package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// nesting is how deep the parser would have gone at a token.
type nesting struct {
	depth     int // of brackets, blocks and templates
	prefix    int // operators before one operand
	splats    int // in one chain
	names     int // joined by ::
	operators int // in the file
	pieces    int // of one text
}

// nested refuses the first place that goes too deep.
func nested(tokens hclsyntax.Tokens) hcl.Diagnostics {
	var n nesting
	for i, token := range tokens {
		n.add(token, tokens[i+1:])
		switch {
		case n.depth > maxDepth || n.prefix > maxDepth || n.splats > maxDepth || n.names > maxDepth:
			return hcl.Diagnostics{problem(token.Range.Ptr(), "Nested too deeply",
				"Brackets, blocks, templates or operators are nested more than %d deep here. Split the expression with locals.", maxDepth)}
		case n.operators > maxOperators:
			return hcl.Diagnostics{problem(token.Range.Ptr(), "Too many operators",
				"The file has more than %d operators. Split it into several files.", maxOperators)}
		case n.pieces > maxPieces:
			return hcl.Diagnostics{problem(token.Range.Ptr(), "Text too long",
				"This text has more than %d lines. Put it into a file of its own and read that with file().", maxPieces)}
		}
	}
	return nil
}

func (n *nesting) add(token hclsyntax.Token, rest hclsyntax.Tokens) {
	prefix, pieces := n.prefix, n.pieces
	n.prefix, n.pieces = 0, 0
	switch token.Type {
	case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenOQuote,
		hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp:
		n.depth++
	case hclsyntax.TokenTemplateControl:
		n.depth += 1 + opensDirective(rest)
	case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenCQuote,
		hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd:
		n.depth = max(n.depth-1, 0)
	case hclsyntax.TokenQuotedLit, hclsyntax.TokenStringLit:
		n.pieces = pieces + 1
	case hclsyntax.TokenMinus, hclsyntax.TokenBang:
		n.prefix = prefix + 1
		n.operators++
	case hclsyntax.TokenStar:
		n.splats++
		n.operators++
	case hclsyntax.TokenPlus, hclsyntax.TokenSlash, hclsyntax.TokenPercent, hclsyntax.TokenAnd, hclsyntax.TokenOr,
		hclsyntax.TokenEqualOp, hclsyntax.TokenNotEqual, hclsyntax.TokenLessThan, hclsyntax.TokenLessThanEq,
		hclsyntax.TokenGreaterThan, hclsyntax.TokenGreaterThanEq, hclsyntax.TokenQuestion:
		n.operators++
	case hclsyntax.TokenDoubleColon:
		n.names++
	case hclsyntax.TokenComma:
		n.splats, n.names = 0, 0
	case hclsyntax.TokenNewline:
		n.splats, n.names = 0, 0
		n.prefix = prefix // a newline inside parentheses doesn't end a run of operators
	}
}
