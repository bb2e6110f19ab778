package shell

import (
	"runtime"
	"strings"
	"testing"
)

func TestHostileTextsAreRefusedNotFatal(t *testing.T) {
	repeat := func(s string) string { return strings.Repeat(s, maxText/len(s)) }
	for name, text := range map[string]string{
		"open brackets":        repeat("("),
		"open substitutions":   repeat("$("),
		"open arithmetic":      repeat("$(("),
		"open braces":          repeat("{ "),
		"open backquotes":      repeat("`"),
		"open parameters":      repeat("${x:-"),
		"keywords":             repeat("if "),
		"loops":                repeat("while "),
		"negations":            repeat("! "),
		"signs in arithmetic":  "((" + repeat("-")[4:] + "1))",
		"nots in arithmetic":   "((" + repeat("!")[4:] + "1))",
		"choices":              "((" + repeat("1?1:")[8:] + "1))",
		"assignments":          "((" + repeat("a=")[8:] + "1))",
		"indices":              "((" + repeat("a[")[8:],
		"nots in a test":       "[[ " + repeat("! ")[8:] + "a ]]",
		"ands":                 repeat("a&&") + "a",
		"pipes":                repeat("a|") + "a",
		"else ifs":             "if a; then b; " + repeat("elif a; then b; ") + "fi",
		"functions":            repeat("f() "),
		"programs in programs": repeat("sudo ") + "x",
		"places to begin":      "parallel " + repeat("a ")[16:],
		"texts in texts":       repeat("eval "),
		"braces to expand":     repeat("{a,b}"),
		"case arms":            "case x in " + repeat("a) b;; ")[16:] + "esac",
		"zero bytes":           repeat("\x00"),
		"bytes of no text":     repeat("\xff\xfe "),
		"one word":             repeat("a"),
		"too long":             repeat("a b;") + repeat("c d;"),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			Read(text)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 512<<20 {
				t.Errorf("it took %d MiB", used>>20)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"a && b", "sh -c 'x $Y'", "xargs -I{} sh -c '{}'", "find . -exec {} \\;", "sudo --x y", "cat <<E|sh\n$x\nE", "env -S", "bash -", "a=(", "${x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := Read(text)
		for _, c := range r.Commands {
			if len(c.Words) == 0 {
				t.Errorf("a command without words in %q", text)
			}
		}
	})
}
