package reference

import (
	"fmt"
	"strings"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// page is one that is being written.
type page struct {
	strings.Builder
	kind plugins.Kind
}

// Page is a page about a plugin. Common are the arguments that the host adds to the
// blocks of its kind.
func Page(d plugins.Description, common schema.Block) string {
	p := &page{kind: d.Kind}
	p.para("# %s %s", title(string(d.Kind)), code(d.Type))
	p.head(d)
	p.para("```hcl\n%s```", sample(d))
	p.para("## Arguments")
	p.block(d.Schema, 0)
	if len(common.Attributes) > 0 {
		p.para("Every %s takes these, too:", d.Kind)
		p.attributes(common.Attributes)
	}
	if d.Capabilities != nil {
		p.capabilities(*d.Capabilities)
	}
	if d.Traits != nil {
		p.traits(*d.Traits)
	}
	p.environment(d.Env)
	return p.String()
}

// para writes a paragraph.
func (p *page) para(format string, args ...any) {
	if p.Len() > 0 {
		p.WriteString("\n")
	}
	fmt.Fprintf(p, format+"\n", args...)
}

func title(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] }

// head says who the plugin is. A build that has no version says none, so that a
// page in a repository doesn't change with every commit.
func (p *page) head(d plugins.Description) {
	var parts []string
	if _, err := version.NewVersion(d.Version); err == nil {
		parts = append(parts, "Version "+words(d.Version))
	}
	parts = append(parts, "protocol "+strings.ReplaceAll(strings.Trim(fmt.Sprint(d.Protocols), "[]"), " ", " and "))
	if d.SDK != "" {
		parts = append(parts, "SDK "+words(d.SDK))
	}
	if d.Licence != "" {
		parts = append(parts, "licence "+words(d.Licence))
	}
	if d.Issues != "" {
		parts = append(parts, link("issues", d.Issues))
	}
	parts[0] = title(parts[0])
	p.para("%s.", strings.Join(parts, ", "))
}

// sample is a block with all that it needs, as it is written.
func sample(d plugins.Description) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s \"%s\" \"NAME\" {", d.Kind, fenced(d.Type))
	sampleBody(&b, d.Schema, "  ", 0)
	b.WriteString("}\n")
	return string(hclwrite.Format([]byte(b.String()))) // aligns; it reads words, so it takes any
}

func sampleBody(b *strings.Builder, s schema.Block, indent string, depth int) {
	first := true
	line := func(format string, args ...any) {
		if first {
			b.WriteString("\n")
			first = false
		}
		fmt.Fprintf(b, indent+format, args...)
	}
	for _, a := range s.Attributes {
		if a.Required {
			line("%s = %s\n", fenced(a.Name), fenced(example(a)))
		}
	}
	for _, n := range s.Blocks {
		if n.Min > 0 && depth < deepest {
			line("%s {", fenced(strings.Join(append([]string{n.Name}, quotes(n.Labels)...), " ")))
			before := b.Len()
			sampleBody(b, n.Block, indent+"  ", depth+1)
			if b.Len() > before {
				b.WriteString(indent)
			}
			b.WriteString("}\n")
		}
	}
}

// fenced is a text inside of a block of code, which it can't end.
func fenced(s string) string { return strings.ReplaceAll(plain(s), "```", "'''") }

func quotes(labels []string) []string {
	out := make([]string, len(labels))
	for i, l := range labels {
		out[i] = `"` + strings.ToUpper(l) + `"`
	}
	return out
}

// example is a value of an attribute: its own, or one of its type.
func example(a schema.Attribute) string {
	if a.Example != "" {
		return a.Example
	}
	one := map[schema.Type]string{
		schema.String: `"..."`, schema.Bool: "true", schema.Int: "1", schema.Number: "1", schema.Duration: `"30s"`, schema.Sensitive: "secret.NAME",
	}[a.Type.Elem()]
	switch {
	case a.Type.IsList():
		return "[" + one + "]"
	case a.Type.IsMap():
		return "{ NAME = " + one + " }"
	}
	return one
}
