package shell

import (
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// A parser that fails half way has been seen to leave such trees.
func TestATreeThatCantBeReadIsUnknown(t *testing.T) {
	r := newReader(syntax.LangBash)
	r.safely(func() { r.node(&syntax.Stmt{Cmd: &syntax.FuncDecl{}}, 0) })
	if len(r.Unknown) != 1 {
		t.Errorf("got %q", r.Unknown)
	}
}
