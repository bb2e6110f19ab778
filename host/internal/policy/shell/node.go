package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// node finds the commands below one node of the tree.
func (r *reader) node(top syntax.Node, depth int) {
	syntax.Walk(top, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				r.feeds[n.Y] = n.X
			}
		case *syntax.Word:
			r.subscripts(n, depth)
		case *syntax.ArithmExp:
			r.index(n.X, depth)
		case *syntax.ArithmCmd:
			r.index(n.X, depth)
		case *syntax.CStyleLoop:
			for _, x := range []syntax.ArithmExpr{n.Init, n.Cond, n.Post} {
				r.index(x, depth)
			}
		case *syntax.LetClause:
			for _, x := range n.Exprs {
				r.index(x, depth)
			}
		case *syntax.ParamExp:
			r.index(n.Index, depth)
			if n.Slice != nil {
				r.index(n.Slice.Offset, depth)
				r.index(n.Slice.Length, depth)
			}
		case *syntax.DblQuoted:
			r.quotes(n.Parts)
		case *syntax.Redirect:
			if n.Hdoc != nil {
				r.quotes(n.Hdoc.Parts)
			}
		case *syntax.Assign:
			r.index(n.Index, depth)
		case *syntax.Stmt:
			r.redirections(n.Redirs)
			r.statement(n, depth)
		}
		return true
	})
}

// statement handles the simple command of a statement, if it is one.
func (r *reader) statement(s *syntax.Stmt, depth int) {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		cmd := Command{Assigns: assigns(c.Assigns), Inner: depth > 0, Possible: r.possible}
		for _, w := range c.Args {
			cmd.Words = append(cmd.Words, resolve(w))
		}
		r.command(cmd, r.stdin(s), depth)
	case *syntax.DeclClause:
		words := append([]Word{literal(c.Variant.Value)}, assigns(c.Args)...)
		r.assigned(words[1:], depth)
		r.command(Command{Words: words, Inner: depth > 0, Possible: r.possible}, nil, depth)
	}
}

func assigns(list []*syntax.Assign) []Word {
	var out []Word
	for _, a := range list {
		switch value := Word(""); {
		case a.Name == nil && a.Value != nil:
			out = append(out, resolve(a.Value))
		case a.Name != nil:
			if a.Value != nil {
				value = whole(a.Value)
			}
			if a.Array != nil {
				value = Word(Hole)
			}
			if a.Naked {
				out = append(out, literal(a.Name.Value))
				continue
			}
			out = append(out, literal(a.Name.Value)+"="+value)
		}
	}
	return out
}

// input is what a command reads from its standard input.
type input struct {
	text  string
	known bool
}

// stdin is what is known of a statement's standard input: nil if nothing.
func (r *reader) stdin(s *syntax.Stmt) *input {
	for i := len(s.Redirs) - 1; i >= 0; i-- {
		redirect := s.Redirs[i]
		switch redirect.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			return script(document(redirect))
		case syntax.WordHdoc:
			return script(resolve(redirect.Word))
		case syntax.RdrIn, syntax.DplIn, syntax.RdrInOut:
			return nil
		}
	}
	if from, piped := r.feeds[s]; piped {
		return r.output(from)
	}
	return nil
}

// document is the text of a here-document: backslashes mean something in it
// unless its end is quoted.
func document(redirect *syntax.Redirect) Word {
	if redirect.Hdoc == nil {
		return ""
	}
	quoted := slices.ContainsFunc(redirect.Word.Parts, func(p syntax.WordPart) bool {
		lit, ok := p.(*syntax.Lit)
		return !ok || strings.Contains(lit.Value, `\`)
	})
	var out strings.Builder
	for _, part := range redirect.Hdoc.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			text := lit.Value
			if !quoted {
				text = strings.NewReplacer(`\\`, `\`, `\$`, `$`, "\\`", "`", "\\\n", "").Replace(text)
			}
			out.WriteString(string(literal(text)))
			continue
		}
		out.WriteString(string(resolvePart(part, true)))
	}
	return Word(out.String())
}

// output is what a statement prints, where it is a program that prints its
// arguments or its input.
func (r *reader) output(s *syntax.Stmt) *input {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return nil
	}
	var words []string
	unknown := false
	for _, w := range call.Args {
		text := verbatim(resolve(w))
		unknown = unknown || !text.known
		words = append(words, text.text)
	}
	if r.named[words[0]] {
		return nil
	}
	switch words[0] {
	case "cat":
		if len(words) > 1 {
			return nil // files
		}
		return r.stdin(s)
	case "tee":
		return r.stdin(s)
	case "echo":
		return &input{echoed(words[1:]), !unknown}
	case "printf":
		if len(words) > 1 && words[1] == "--" {
			words = words[1:]
		}
		if len(words) > 1 {
			if text, ok := printed(words[1], words[2:]); ok {
				return &input{text + "\n" + strings.Join(words[2:], "\n"), !unknown}
			}
		}
	}
	return nil
}

// echoed is what echo prints: shells differ in what they make of backslashes.
func echoed(words []string) string {
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' && strings.Trim(words[0][1:], "neE") == "" {
		words = words[1:]
	}
	text := strings.Join(words, " ")
	out := text
	for _, said := range []string{text, strings.SplitN(text, `\c`, 2)[0]} { // which ends it
		if decoded, ok := printed("%b", []string{said}); ok && decoded != text {
			out += "\n" + decoded
		}
	}
	return out
}

// printed is what printf prints, which begins its format anew while there are
// words.
func printed(format string, words []string) (string, bool) {
	if strings.HasSuffix(format, `\`) || slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, `\c`) }) {
		return "", false // shells keep it, or end there
	}
	var out strings.Builder
	for {
		text, n, err := expand.Format(nil, format, words)
		if err != nil {
			return "", false
		}
		out.WriteString(text)
		words = words[min(n, len(words)):]
		if n == 0 || len(words) == 0 {
			return out.String(), true
		}
	}
}

// script is a word taken for a text of its own. What isn't known becomes a
// variable, which is as little known in there.
func script(w Word) *input {
	in := verbatim(w)
	return &in
}

func verbatim(w Word) input {
	text := strings.NewReplacer(string(Hole), "${_}", string(Slot), "${_}").Replace(string(w))
	return input{text, w.Known()}
}
