package authors

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBlocksOfAPage(t *testing.T) {
	page := strings.Join([]string{
		"Text.", "```go main.go", "package main", "```", "```console", "$ one \"a", "> b\"", "seen", "...", "$ two", "```",
		"```console by-hand", "$ no", "```", "```sh", "no", "```", "```go", "x()", "```",
	}, "\n")
	got, err := blocks(page)
	if err != nil {
		t.Fatal(err)
	}
	want := []block{
		{line: 3, file: "main.go", content: "package main\n"},
		{line: 6, commands: []string{"one \"a\nb\"", "two"}, output: [][]string{{"seen", "..."}, nil}},
		{line: 19, content: "x()\n", excerpt: true},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(block{})); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsSeenIsCompared(t *testing.T) {
	for _, c := range []struct {
		name, shown, seen string
		want              bool
	}{
		{"the same", "a|b", "a|b", true},
		{"another line", "a|b", "a|c", false},
		{"a line more", "a", "a|b", false},
		{"a line less", "a|b", "a", false},
		{"a gap in a line", "ok ... 1s", "ok x y 1s", true},
		{"a gap at the end", "ok ...", "ok", false},
		{"a gap at the end that stands for something", "ok...", "ok then", true},
		{"lines left out", "a|...|d", "a|b|c|d", true},
		{"none left out", "a|...|d", "a|d", true},
		{"lines left out at the end", "a|...", "a|b|c", true},
		{"what follows the gap isn't there", "a|...|d", "a|b|c", false},
		{"nothing is shown", "", "whatever", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			split := func(s string) []string {
				return strings.FieldsFunc(s, func(r rune) bool { return r == '|' })
			}
			if got := matches(split(c.shown), split(c.seen)); got != c.want {
				t.Errorf("%q against %q: %v", c.shown, c.seen, got)
			}
		})
	}
}
