package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/policy/shell"
)

// Each of these once took from seconds to minutes, or gigabytes.
func TestCommandsInCommandsAreDecidedWithBoundedEffort(t *testing.T) {
	thousands := Policy{Default: Allow, FileWrite: Allow}
	for i := range 2000 {
		thousands.Commands.Deny = append(thousands.Commands.Deny, fmt.Sprintf("*denied%d*x*y*z*", i))
	}
	long := Policy{Default: Allow, Commands: Commands{Deny: []string{"*" + strings.Repeat("a", 30_000) + "b*"}}}
	for _, c := range []struct {
		name   string
		policy Policy
		text   string
	}{
		{"each option may have a value", deniesIt, strings.Repeat("timeout --zz ", 4000) + "x"},
		{"a chain, and thousands of rules", thousands, strings.Repeat("xargs ", 2000) + "x"},
		{"what isn't known, and thousands of rules", thousands, strings.Repeat("*", 20_000)},
		{"one long rule", long, "ls " + strings.Repeat("a", 60_000)},
		{"one long rule, and what isn't known", long, "$x" + strings.Repeat("a", 60_000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if d := Decide(c.policy, Request{Command, c.text}); d.Action != Ask {
				t.Errorf("got %s by %.100s", d.Action, d.Rule)
			}
		})
	}
}

func TestWithoutEffortNothingIsSureAndAllMayBe(t *testing.T) {
	left := effort(3)
	p := patternOf([]shell.Word{"abcd", shell.Word(shell.Hole)})
	if sure, may := left.meets(wide("abcd"), []pattern{p}); sure || !may {
		t.Errorf("got %t, %t", sure, may)
	}
	r := rulesOf(Policy{Default: Allow, Commands: Commands{Allow: []string{"*"}, Ask: []string{"none"}}})
	r.left = 3
	if d, ok := r.decide(shell.Command{Words: []shell.Word{"abcd"}}); !ok || d != (Decision{Ask, tooMuch}) {
		t.Errorf("got %v", d)
	}
}

// Its options may each have a value or not: twice as many commands with each.
func TestTheWordsOfAllCommandsTogetherAreBounded(t *testing.T) {
	if got := shell.Read(strings.Repeat("timeout --zz ", 4000) + "x").Unknown; !slices.Contains(got, "too many commands in commands") {
		t.Errorf("got %q", got)
	}
}
