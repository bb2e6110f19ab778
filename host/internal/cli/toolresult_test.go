package cli

import "testing"

func TestResultsAreReadable(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"plain text", "hello\n", "hello\n"},
		{"text that begins like JSON", "{not json", "{not json"},
		{"an object with output", `{"exitCode":0,"output":"a\nb\n"}`, "a\nb\n"},
		{"content blocks", `[{"type":"content","content":{"type":"text","text":"x"}},{"type":"content","content":{"type":"text","text":"y"}}]`, "x\ny"},
		{"a new file", `[{"type":"diff","path":"/p","newText":"a\nb\n"}]`, "2 lines written"},
		{"a changed file", `[{"type":"diff","path":"/p","oldText":"a","newText":"a\nb"}]`, "1 lines became 2"},
		{"a shape nobody knows", `{"a":1}`, `{"a":1}`},
		{"a number", "3", "3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := readable(c.content); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestNothingOfAnAgentMovesTheCursor(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1b[2Jb\rc\x07":         "a\uFFFD[2Jb\uFFFDc\uFFFD",
		"tab\tand\nline":           "tab\tand\nline",
		"\u009b31m\u202e":          "\uFFFD31m\uFFFD",
		"\u202a\u200f\u061c\u2028": "\uFFFD\uFFFD\uFFFD\uFFFD",
		"bad \xff byte":            "bad \uFFFD byte",
		"한글 🙂":                     "한글 🙂",
	} {
		if got := printable(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
