package policy

import (
	"regexp"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/policy/shell"
	"pgregory.net/rapid"
)

func TestAKnownPatternFitsAsARegularExpressionDoes(t *testing.T) {
	glob := rapid.StringOfN(rapid.RuneFrom([]rune("ab */é.?")), 0, 12, -1)
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab /é.?")), 0, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		g, s := glob.Draw(t, "glob"), text.Draw(t, "text")
		exp := strings.NewReplacer(`\*`, `(?s:.*)`, `\?`, `(?s:.)`).Replace(regexp.QuoteMeta(g))
		want := regexp.MustCompile(`\A` + exp + `\z`).MatchString(s)
		p := pattern{[]rune(s), true}
		left := mostEffort
		if left.fits([]rune(g), p) != want || left.mayFit([]rune(g), p) != want {
			t.Fatalf("fits(%q, %q) is %v, mayFit %v; want %v", g, s, left.fits([]rune(g), p), left.mayFit([]rune(g), p), want)
		}
	})
}

func TestAnUnknownPartIsAnyText(t *testing.T) {
	glob := rapid.StringOfN(rapid.RuneFrom([]rune("ab *")), 0, 8, -1)
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab "+string(shell.Hole)+string(shell.Slot))), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		g, s := []rune(glob.Draw(t, "glob")), text.Draw(t, "text")
		p := pattern{[]rune(s), false}
		left := mostEffort
		sure, may := left.fits(g, p), left.mayFit(g, p)
		made := strings.ReplaceAll(s, string(shell.Hole), rapid.StringOfN(rapid.RuneFrom([]rune("ab ")), 0, 4, -1).Draw(t, "hole"))
		made = strings.ReplaceAll(made, string(shell.Slot), rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 4, -1).Draw(t, "slot"))
		switch does := left.fits(g, pattern{[]rune(made), true}); {
		case sure && !does:
			t.Fatalf("%q is said to fit all of %q, but not %q", string(g), s, made)
		case does && !may:
			t.Fatalf("%q is said to fit none of %q, but it fits %q", string(g), s, made)
		}
	})
}
