//go:build linux

package script

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// least is how many cases a verb has; at least half of them end in an error.
const least = 10

// below are the verbs that don't have their cases yet. It shrinks to nothing: a
// verb that has enough must be taken out.
func below() []string {
	return nil
}

// help runs a verb's --help.
func help(t *testing.T, verb string) string {
	t.Helper()
	args := append(strings.Split(verb, "-"), "--help")
	if verb == "" {
		args = args[1:]
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(built, "sandlot"), args...).Output()
	if err != nil {
		t.Fatalf("sandlot %q: %v", args, err)
	}
	return string(out)
}

// verbs are all that --help lists, "plugin-list" for `plugin list`.
func verbs(t *testing.T, parent string) []string {
	t.Helper()
	_, list, _ := strings.Cut(help(t, parent), "Available Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	var found []string
	for line := range strings.Lines(list) {
		name := strings.Fields(line)[0]
		if name == "help" {
			continue
		}
		verb := strings.TrimPrefix(parent+"-"+name, "-")
		if below := verbs(t, verb); len(below) > 0 {
			found = append(found, below...)
		} else {
			found = append(found, verb)
		}
	}
	return found
}

var ran = regexp.MustCompile(`(?m)^(! )?(exec|exits (\d+)|terminal(?: -code (\d+)| -\S+ \S+)*)(?: as-user| on-full-disk)? sandlot (.*)$`)

// counted is what a case's text says of it.
type counted struct {
	uses  bool   // it runs its verb
	fails bool   // the last sandlot that it runs ends in an error
	vague string // a line that expects an error and doesn't say which
}

func count(verb, text string) counted {
	var c counted
	text, _, _ = strings.Cut(text, "\n-- ")
	words := strings.ReplaceAll(verb, "-", " ")
	for _, m := range ran.FindAllStringSubmatch(text, -1) {
		args := " " + m[5] + " "
		// The shell asks for completions by a hidden verb.
		c.uses = c.uses || strings.Contains(args, " "+words+" ") || verb == "completion" && strings.Contains(args, " __complete ")
		if m[1] != "" {
			c.vague = m[0]
		}
		code := m[3] + m[4]
		c.fails = code != "" && code != "0"
	}
	return c
}

func TestEachVerbHasItsCases(t *testing.T) {
	listed, waived := verbs(t, ""), below()
	for _, verb := range waived {
		if !slices.Contains(listed, verb) {
			t.Errorf("%s has no verb: take it out of below()", verb)
		}
	}
	folders, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		// "sandlot" is for the program without a verb.
		if f.IsDir() && f.Name() != "sandlot" && !slices.Contains(listed, f.Name()) {
			t.Errorf("testdata/%s: there is no such verb", f.Name())
		}
	}
	for _, verb := range listed {
		if !strings.Contains(help(t, verb), "\nExamples:\n") {
			t.Errorf("%s --help has no example", verb)
		}
		files, err := filepath.Glob(filepath.Join("testdata", verb, "*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		all, fail := 0, 0
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := count(verb, string(text))
			if c.vague != "" {
				t.Errorf("%s: %q doesn't say how it ends: exits CODE sandlot ...", file, c.vague)
			}
			if !c.uses {
				t.Errorf("%s never runs the verb", file)
			}
			all++
			if c.fails {
				fail++
			}
		}
		has := fmt.Sprintf("%s has %d cases, %d of them end in an error", verb, all, fail)
		switch enough := all >= least && 2*fail >= all; {
		case enough && slices.Contains(waived, verb):
			t.Errorf("%s: take it out of below()", has)
		case !enough && !slices.Contains(waived, verb):
			t.Errorf("%s; there must be %d, at least half of them errors", has, least)
		}
	}
}

func TestCountingTellsHowACaseEnds(t *testing.T) {
	tests := []struct {
		name, verb, text string
		want             counted
	}{
		{"a case that ends well", "ps", "exits 2 sandlot ps x\nexec sandlot ps\nstdout x", counted{uses: true}},
		{"a case that ends in an error", "plugin-list", "exec sandlot ps\nexits 2 sandlot --json plugin list x\n", counted{uses: true, fails: true}},
		{"an error on a terminal", "run", "terminal -size 80x24 -code 4 -dialogue d sandlot run x", counted{uses: true, fails: true}},
		{"another verb's case", "ps", "exits 2 sandlot run ps2", counted{fails: true}},
		{"an error without a code", "ps", "! exec sandlot ps x", counted{uses: true, vague: "! exec sandlot ps x"}},
		{"what is in its files doesn't count", "ps", "exec sandlot ps\n-- f --\nexits 1 sandlot ps", counted{uses: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := count(tt.verb, tt.text); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}
