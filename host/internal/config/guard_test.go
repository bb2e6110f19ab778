package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

// Longer ones of these end the process by a stack overflow if they reach the parser.
func TestWhatTheParserCannotTakeIsRefused(t *testing.T) {
	const n = 20000
	tests := []struct{ name, text, want string }{
		{"80,000 brackets", "locals { a = " + strings.Repeat("[", 80000), "Nested too deeply"},
		{"80,000 closed brackets", "locals { a = " + strings.Repeat("[", n) + strings.Repeat("]", n) + " }", "Nested too deeply"},
		{"parentheses", "locals { a = " + strings.Repeat("(", n), "Nested too deeply"},
		{"objects", "locals { a = " + strings.Repeat("{a=", n), "Nested too deeply"},
		{"blocks", strings.Repeat("a {\n", n), "Nested too deeply"},
		{"templates", "locals { a = " + strings.Repeat(`"${`, n), "Nested too deeply"},
		{"directives", "locals { a = \"" + strings.Repeat("%{if true}", n) + "\" }", "Nested too deeply"},
		{"calls", "locals { a = " + strings.Repeat("upper(", n), "Nested too deeply"},
		{"negations", "locals { a = " + strings.Repeat("!", 20000) + "true }", "Nested too deeply"},
		{"minus signs", "locals { a = " + strings.Repeat("-", 20000) + "1 }", "Nested too deeply"},
		{"mixed prefixes over lines", "locals { a = (" + strings.Repeat("!-\n", 20000) + "1) }", "Nested too deeply"},
		{"splats", "locals { a = [1]" + strings.Repeat("[*]", 20000) + " }", "Nested too deeply"},
		{"attribute splats", "locals { a = [1]" + strings.Repeat(".*", 20000) + " }", "Nested too deeply"},
		{"sums", "locals { a = " + strings.Repeat("1+", 25000) + "1 }", "Too many operators"},
		{"conditions", "locals { a = " + strings.Repeat("true?1:", 25000) + "1 }", "Too many operators"},
		{"unclosed variables", strings.Repeat("variable \"a\" {\n", 20000), "Nested too deeply"},
		{"unclosed secrets", strings.Repeat("secret \"a\" {\n", 20000), "Nested too deeply"},
		{"lines of a heredoc", "locals { a = <<E\n" + strings.Repeat("x\n", n) + "E\n}\n", "Text too long"},
		{"dollar signs", "locals { a = \"" + strings.Repeat("$", n) + "\" }", "Text too long"},
		{"percent signs", "locals { a = \"" + strings.Repeat("%", n) + "\" }", "Text too long"},
		{"namespaces", "locals { a = a" + strings.Repeat("::a", n) + "() }", "Nested too deeply"},
		{"text that doubles", "locals {\n  a0 = \"x\"\n" + grown(`"${local.a%[1]d}${local.a%[1]d}"`) + "}\n", "Local values too large"},
		{"lists that double", "locals {\n  a0 = [1]\n" + grown("concat(local.a%[1]d, local.a%[1]d)") + "}\n", "Local values too large"},
		{"values that nest", "locals {\n  a0 = 1\n" + grown("[local.a%[1]d]") + "}\n", "Local values too large"},
		{"loops within loops", "locals { a = [for a in range(1000) : [for b in range(1000) : [for c in range(1000) : a]]] }", "Loop too long"},
		{"loops over loops", "locals { a = [for a in flatten([for b in range(400) : range(400)]) : [for c in range(1000) : a] if false] }", "Loop too long"},
		{"loops in a command", harnessWith("[for a in range(1000) : join(\"\", [for b in range(200) : \"x\"])]"), "Loop too long"},
		{"loops that make much text", "locals {\n  t = indent(1e6, \"\\n\")\n  a = length([for i in range(1000) : \"${local.t}${i}\"])\n}", "Loop too long"},
		{"loops that tests hide", "locals { a = \"%{for a in range(1000)}%{for b in range(1000)}%{for c in range(1000)}x%{endfor}%{endfor}%{endfor}\" }", "Loop too long"},
		{"loops in a template", `locals { a = templatefile("loops.tmpl", {}) }`, "Error in function call"},
		{"the product of sets", "locals { a = setproduct(range(1000), range(1000), range(1000)) }", "Invalid function argument"},
		{"many spaces", `locals { a = indent(1e12, "a\nb") }`, "Invalid function argument"},
		{"long separators", `locals { a = join(indent(1e6, "\n"), range(1000)) }`, "Invalid function argument"},
		{"long replacements", `locals { a = replace(indent(1e6, "\n"), " ", indent(1e6, "\n")) }`, "Invalid function argument"},
		{"long replacements of a pattern", `locals { a = regexreplace(indent(1e6, "\n"), "( )", "$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1") }`, "Invalid function argument"},
		{"a large file", "# " + strings.Repeat("x", 1<<20), "File too large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, diags := config.Load(t.Context(), options(write(t, map[string]string{"sandlot.hcl": tt.text, "loops.tmpl": loops}), nil))
			if !diags.HasErrors() || diags[0].Summary != tt.want {
				t.Errorf("got %v", diags)
			}
			if diags[0].Subject == nil {
				t.Error("no place")
			}
			if len(p.Files()) != 1 {
				t.Error("the file can't be shown")
			}
		})
	}
}

// loops is a template that would take very long.
const loops = `%{for a in range(1000)}%{for b in range(1000)}%{for c in range(1000)}x%{endfor}%{endfor}%{endfor}`

// harnessWith is a configuration whose harness has that command.
func harnessWith(command string) string {
	return "harness \"acp\" \"a\" {\n  command = " + command + "\n}\n"
}

// What loops need to be of use still works, and is found where it is referred to.
func TestLoopsWithinTheBoundAreRun(t *testing.T) {
	for _, expr := range []string{
		`[for x in var.list : x]`, `{for i, x in var.list : x => upper(x)}`, `[for x in [for y in var.list : y] : x if x != "b"]`,
		`[for x in var.list : [for y in local.later : "${x}${y}"]]`, `"%{for x in var.list}${x}${local.later[0]}%{endfor}"`,
		`[for i in range(300) : [for j in range(300) : 1]]`, `{for x in var.list : x => x...}`, `[for x in [secret.S] : x]`,
	} {
		text := "variable \"list\" { default = [\"a\", \"b\"] }\nsecret \"S\" { env = \"S\" }\nlocals {\n  a = " + expr + "\n  later = [upper(\"z\")]\n}\n"
		if _, diags := config.Load(t.Context(), options(write(t, map[string]string{"sandlot.hcl": text}), nil)); diags.HasErrors() {
			t.Errorf("%s: %v", expr, diags)
		}
	}
}

// grown are local values that each are made of the one before.
func grown(step string) string {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "  a%d = %s\n", i+1, fmt.Sprintf(step, i))
	}
	return b.String()
}

// One expression can have a mistake for each of its operators.
func TestManyProblemsAreCut(t *testing.T) {
	_, diags := config.Load(t.Context(), options(write(t, map[string]string{"sandlot.hcl": "locals { a = 1" + strings.Repeat("<1", 5000) + " }"}), nil))
	if len(diags) != 101 || !strings.Contains(diags[100].Detail, "more problems from here on") {
		t.Errorf("%d diagnostics, the last: %v", len(diags), diags[len(diags)-1])
	}
}

func TestDepthWithinTheBoundIsAccepted(t *testing.T) {
	const n = 190
	load(t, "locals {\n  a = "+strings.Repeat("[", n)+strings.Repeat("]", n)+"\n  b = "+strings.Repeat("-", n)+"1\n  c = -1 - 1\n}\n"+
		strings.Repeat("locals { }\n", 5000))
}

func FuzzLoadNeverPanics(f *testing.F) {
	f.Add(withSecrets)
	f.Add(keyed)
	f.Add(minimal)
	f.Add("variable \"a\" {\n  type = map(object({a = optional(list(number), [1])}))\n  validation {\n condition = can(var.a)\n error_message = \"x\"\n }\n}\nlocals { a = var.a.x[*].y }")
	f.Add("locals { a = { for k, v in { a = 1 } : k => v... } }\nsecret \"A\" { value = <<-E\n  x ${1}\n  E\n}")
	f.Add("locals { a = pow(2, 1e9), b = formatdate(\"YYYY\", \"x\"), c = regex(\"(\", \"x\"), d = range(5), e = setproduct([1], [2]) }")
	f.Fuzz(func(t *testing.T, text string) {
		p, diags := config.Load(t.Context(), options(write(t, map[string]string{"sandlot.hcl": text}), nil))
		render(t, p, diags)
		if diags.HasErrors() {
			return
		}
		for _, name := range p.Sandboxes() {
			s := spec(t, p, name)
			if _, err := s.Key("t", "r", ""); err != nil {
				t.Error(err)
			}
		}
	})
}
