//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// deep are expressions that nest n levels, chain n operators or repeat n pieces:
// each is something that the parser or the evaluator recurses on, or takes
// quadratic time for. A stack that overflows ends the process, so these run in
// one of their own.
func deep(n int) map[string]string {
	r := func(s string) string { return strings.Repeat(s, n) }
	return map[string]string{
		"open brackets": r("["), "brackets": r("[") + r("]"), "open braces": r("{"), "objects": r("{a=") + "1" + r("}"),
		"open parentheses": r("("), "parentheses": r("(") + "1" + r(")"), "parentheses over lines": r("(\n") + "1" + r("\n)"),
		"quotes": r(`"`), "open templates": r(`"${`), "templates": r(`"${`) + "1" + r(`}"`),
		"if directives": `"` + r(`%{ if true }`) + r(`%{ endif }`) + `"`, "for directives": `"` + r(`%{ for a in [1] }`) + r(`%{ endfor }`) + `"`,
		"heredocs": r("<<E\n${"), "nots": r("!") + "true", "minus signs": r("-") + "1", "minus signs over lines": "(" + r("-\n") + "1)", "nots and parentheses": r("!(") + "true" + r(")"),
		"sums": "1" + r("+1"), "products": "1" + r("*1"), "mixed operators": "1" + r("+1*1-1"), "conjunctions": "true" + r("&&true"), "comparisons": "1" + r("==1"),
		"conditions on the right": r("true?1:") + "1", "conditions in the middle": r("true?") + "1" + r(":1"),
		"lists of for": r("[for a in [1]: ") + "1" + r("]"), "objects of for": r("{for k,v in {}: k => ") + "1" + r("}"),
		"traversals": "local.b" + r(".a"), "indexes": "local.b" + r("[0]"), "indexes by name": "local.b" + r(`["x"]`), "nested indexes": "local.b" + r("[local.b") + r("]"),
		"splats": "[1]" + r("[*]"), "attribute splats": "[1]" + r(".*"), "splats with attributes": "[1]" + r("[*].a"),
		"calls": r("upper(") + `"a"` + r(")"), "try": r("try(") + "1" + r(")"), "decoded JSON": `jsondecode("` + r("[") + `")`, "a regular expression": `regex("` + r("(") + `","x")`,
		"dollar signs": `"` + r("$") + `"`, "lines of a heredoc": "<<E\n" + r("x\n") + "E", "namespaces": "a" + r("::a") + "()",
	}
}

func TestDeepNestingIsRefusedAndNothingCrashes(t *testing.T) {
	t.Parallel()
	s := newStage(t, "")
	const n = 80_000
	for name, expr := range deep(n) {
		t.Run(name, func(t *testing.T) {
			s.write("sandlot.hcl", "locals {\n  a = "+expr+"\n}\n")
			s.refusedOnce(t)
		})
	}
	for name, text := range map[string]string{
		"blocks":         strings.Repeat("a {\n", n),
		"closed blocks":  strings.Repeat("sandbox \"a\" {\n", n) + strings.Repeat("}\n", n),
		"types of types": "variable \"a\" {\n  type = " + strings.Repeat("list(", n) + "string" + strings.Repeat(")", n) + "\n}\n",
		"labels":         "a " + strings.Repeat("b ", n) + "{}",
	} {
		t.Run(name, func(t *testing.T) {
			s.write("sandlot.hcl", text)
			s.refusedOnce(t)
		})
	}
}

// What is long but within the bounds is evaluated, and doesn't crash either.
func TestLongChainsAreEvaluated(t *testing.T) {
	t.Parallel()
	s := newStage(t, "")
	for _, name := range []string{"sums", "conjunctions", "comparisons", "conditions on the right", "conditions in the middle"} {
		t.Run(name, func(t *testing.T) {
			s.write("sandlot.hcl", "locals {\n  a = "+deep(10_000)[name]+"\n}\n")
			s.run("validate").want(t, 0)
		})
	}
	for _, name := range []string{"traversals", "indexes", "indexes by name"} {
		t.Run(name, func(t *testing.T) {
			s.write("sandlot.hcl", "locals {\n  b = [1]\n  a = "+deep(10_000)[name]+"\n}\n")
			s.refusedOnce(t)
		})
	}
}

// The same comes in by every other way.
func TestDeepNestingInValuesIsRefused(t *testing.T) {
	t.Parallel()
	const n = 80_000
	s := newStage(t, "variable \"a\" {\n  type    = list(any)\n  default = []\n}\n")
	open := strings.Repeat("[", n)
	s.write("deep.hcl", "a = "+open+"\n")
	t.Run("a file of values", func(t *testing.T) { s.refusedOnce(t, "--var-file", "deep.hcl") })
	t.Run("a flag", func(t *testing.T) { s.refusedOnce(t, "--var", "a="+open) })
	t.Run("a flag of objects", func(t *testing.T) {
		s.refusedOnce(t, "--var", "a="+strings.Repeat(`{"a":`, n/5)+"1"+strings.Repeat("}", n/5))
	})
	t.Run("the environment", func(t *testing.T) {
		defer func(env []string) { s.env = env }(s.env)
		s.env = append(s.env, "SANDLOT_VAR_a="+open)
		s.refusedOnce(t)
	})
	s.write("x.auto.sandlot.hcl", "a = "+open+"\n")
	t.Run("a file that is read by itself", func(t *testing.T) { s.refusedOnce(t) })
	s.write("x.auto.sandlot.hcl", "a = []\n")
	s.write("x.tmpl", strings.Repeat("%{ if true }", n))
	s.write("b.sandlot.hcl", "locals {\n  b = templatefile(\"x.tmpl\", {})\n}\n")
	t.Run("a template", func(t *testing.T) { s.refusedOnce(t) })
	s.write("x.json", open)
	s.write("b.sandlot.hcl", "locals {\n  b = jsondecode(file(\"x.json\"))\n}\n")
	t.Run("a JSON file", func(t *testing.T) { s.refusedOnce(t) })
}

// A few lines can ask for more memory than there is, or for a value that nobody
// can walk.
func TestLocalValuesThatGrowAreRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, "")
	for name, step := range map[string]string{
		"text that doubles":  `"${local.a%[1]d}${local.a%[1]d}"`,
		"lists that double":  `concat(local.a%[1]d, local.a%[1]d)`,
		"values that nest":   `[local.a%[1]d]`,
		"objects that nest":  `{ x = local.a%[1]d }`,
		"objects that split": `{ x = local.a%[1]d, y = local.a%[1]d }`,
	} {
		t.Run(name, func(t *testing.T) {
			first := `"x"`
			if strings.HasPrefix(step, "concat") {
				first = "[1]"
			}
			lines := []string{"locals {", "  a0 = " + first}
			for i := range 5000 {
				lines = append(lines, fmt.Sprintf("  a%d = ", i+1)+fmt.Sprintf(step, i))
			}
			s.write("sandlot.hcl", strings.Join(lines, "\n")+"\n}\n")
			s.refusedOnce(t)
		})
	}
}

// refusedOnce wants one diagnostic with a place, and nothing like a crash.
func (s *stage) refusedOnce(t *testing.T, args ...string) {
	t.Helper()
	r := s.run(append([]string{"validate", "--json"}, args...)...)
	if r.code != 2 || strings.Contains(r.stderr, "goroutine") {
		t.Fatalf("exit code %d\nstdout: %s\nstderr: %s", r.code, clip(r.stdout), clip(r.stderr))
	}
	found := 0
	for line := range strings.Lines(r.stdout) {
		var l struct {
			Type, Summary, File string
			Line                int
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v in %s", err, clip(line))
		}
		if l.Type != "diagnostic" {
			continue
		}
		found++
		if l.Summary == "" || l.File == "" || l.Line == 0 {
			t.Errorf("a diagnostic without words or place: %s", clip(line))
		}
	}
	if found != 1 {
		t.Errorf("%d diagnostics, want one: %s", found, clip(r.stdout))
	}
	if left, err := filepath.Glob(filepath.Join(s.home, "crashes", "*")); err != nil || len(left) > 0 {
		t.Errorf("left %q %v", left, err)
	}
}
