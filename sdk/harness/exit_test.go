package harness_test

import (
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

func TestAnExitIsToldInAFewWords(t *testing.T) {
	for _, c := range []struct {
		name string
		exit harness.Exit
		want string
	}{
		{"what the host says goes first", harness.Exit{Code: 137, Known: true, Message: "exit code 137, probably signal 9"}, "exit code 137, probably signal 9"},
		{"a code", harness.Exit{Code: 3, Known: true}, "exit code 3"},
		{"a signal", harness.Exit{Code: -1, Signal: 9, Known: true}, "killed by signal 9"},
		{"nothing is known", harness.Exit{Code: -1}, "nobody saw how"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.exit.How(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLastWordsAreTheLast20Lines(t *testing.T) {
	if got := (&harness.Exit{Stderr: []byte(" \n")}).LastWords(); got != "; it wrote nothing to stderr" {
		t.Errorf("of nothing: %q", got)
	}
	got := (&harness.Exit{Stderr: []byte(strings.Repeat("early\n", 9) + strings.Repeat("line\n", 19) + "bad \xff\n")}).LastWords()
	if want := "; the end of its stderr:\n" + strings.Repeat("line\n", 19) + "bad \uFFFD"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
