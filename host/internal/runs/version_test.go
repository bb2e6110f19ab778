package runs

import "testing"

func TestVersionsAreFoundAndCompared(t *testing.T) {
	for _, c := range []struct {
		name string
		text string // what the program printed
		from string
		want string // its version
		old  bool
	}{
		{"the same", "2.1.332 (Claude Code)", "2.1.332", "2.1.332", false},
		{"lower in the last number", "2.1.197 (Claude Code)\n", "2.1.332", "2.1.197", true},
		{"numbers aren't texts", "2.1.99", "2.1.332", "2.1.99", true},
		{"higher in the first", "3.0.0", "2.1.332", "3.0.0", false},
		{"lower in the first", "1.9.999", "2.1.332", "1.9.999", true},
		{"fewer numbers", "2.1", "2.1.332", "2.1", true},
		{"more numbers", "2.1.332.1", "2.1.332", "2.1.332.1", false},
		{"a v before it", "codex v0.171.0-alpha.2", "0.171", "0.171.0", false},
		{"behind words", "agent of 2026, version: 1.2.3", "1.2.4", "1.2.3", true},
		{"the first of several", "1.2.3 (node 22.1.0)", "2.0", "1.2.3", true},
		{"a number too long for one", "99999999999999999999999.0", "2.0", "99999999999999999999999.0", false},
		{"none", "unknown option: --version", "2.1.332", "", false},
		{"nothing", "", "2.1.332", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := versionIn(c.text)
			if got != c.want || got != "" && older(got, c.from) != c.old {
				t.Errorf("got %q, older: %v", got, older(got, c.from))
			}
		})
	}
}
