package reference

import (
	"fmt"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// deepest is how deep blocks are followed; the host takes no schema that is deeper.
const deepest = 10

// block writes the arguments of a block, and a section for each block in it.
func (p *page) block(s schema.Block, depth int, path ...string) {
	if len(s.Attributes) == 0 && len(s.Blocks) == 0 {
		p.para("It has none of its own.")
		return
	}
	p.attributes(s.Attributes)
	for _, n := range s.Blocks {
		if depth == deepest {
			p.para("Deeper blocks aren't shown.")
			return
		}
		inside := append(path[:len(path):len(path)], n.Name)
		p.para("%s Block %s", strings.Repeat("#", min(3+depth, 6)), code(strings.Join(append([]string{strings.Join(inside, ".")}, quotes(n.Labels)...), " ")))
		if text := sentences(words(n.Doc), often(n), deprecated(n.Deprecated)); text != "" {
			p.para("%s", text)
		}
		p.block(n.Block, depth+1, inside...)
	}
}

func (p *page) attributes(list []schema.Attribute) {
	if len(list) == 0 {
		return
	}
	p.para("| argument | type | default | meaning |\n|---|---|---|---|")
	for _, a := range list {
		fmt.Fprintf(p, "| %s | %s | %s | %s |\n", code(a.Name), words(string(a.Type)), fallback(a), p.meaning(a))
	}
}

func fallback(a schema.Attribute) string {
	switch {
	case a.Required:
		return "**required**"
	case len(a.Default) > 0:
		return code(string(a.Default))
	}
	return "none"
}

func (p *page) meaning(a schema.Attribute) string {
	var shown, secret, same string
	if a.Example != "" {
		shown = "Example: " + code(a.Example)
	}
	if a.Sensitive {
		secret = "May hold secrets"
	}
	if p.kind == plugins.Provider && !a.Identity {
		same = "Another value keeps the sandbox"
	}
	return sentences(words(a.Doc), shown, secret, same, deprecated(a.Deprecated))
}

func often(n schema.NestedBlock) string {
	switch {
	case n.Min > 0 && n.Max == 1:
		return "It must stand once"
	case n.Max == 1:
		return "It may be left out"
	case n.Min > 0:
		return "It must stand, and may stand several times"
	}
	return "Any number of them"
}

func deprecated(instead string) string {
	if instead == "" {
		return ""
	}
	return "**Deprecated:** " + words(instead)
}

// sentences joins texts, each with an end.
func sentences(parts ...string) string {
	var out []string
	for _, s := range parts {
		if s == "" {
			continue
		}
		if !strings.HasSuffix(s, ".") {
			s += "."
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}
