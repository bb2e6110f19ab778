package policy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecide(t *testing.T) {
	rules := Policy{Default: Ask, FileWrite: Allow, Commands: Commands{
		Allow: []string{"pnpm test", "git diff *", "git *", "echo *", "sudo *"},
		Ask:   []string{"pnpm install", "curl *", "git push*"},
		Deny:  []string{"rm -rf *", "  git   push  --force*", "sudo rm ?"},
	}}
	closed, noWrites := rules, rules
	closed.Default, noWrites.FileWrite = Deny, Deny
	rules.Places.Root = "/w"
	tests := []struct {
		name   string
		policy Policy
		kind   Kind
		target string
		want   Decision
	}{
		{"an exact allow", rules, Command, "pnpm test", Decision{Allow, `commands.allow "pnpm test"`}},
		{"a longer command isn't the exact one", rules, Command, "pnpm test --watch", Decision{Ask, "default"}},
		{"a shorter command isn't either", rules, Command, "pnpm", Decision{Ask, "default"}},
		{"a star spans spaces and slashes", rules, Command, "git diff --stat a/b c/d", Decision{Allow, `commands.allow "git diff *"`}},
		{"a trailing star stands also for nothing", rules, Command, "git diff", Decision{Allow, `commands.allow "git diff *"`}},
		{"a trailing star needs its blank", rules, Command, "gitk", Decision{Ask, "default"}},
		{"blanks at the ends don't count", rules, Command, "  pnpm\ttest \n", Decision{Allow, `commands.allow "pnpm test"`}},
		{"ask wins over allow", rules, Command, "git push origin", Decision{Ask, `commands.ask "git push*"`}},
		{"deny wins over ask and allow", rules, Command, "git push --force origin", Decision{Deny, `commands.deny "  git   push  --force*"`}},
		{"runs of blanks don't hide a denied command", rules, Command, "rm   -rf \t /", Decision{Deny, `commands.deny "rm -rf *"`}},
		{"a continued line doesn't hide a denied command", rules, Command, "rm \\\n -rf /", Decision{Deny, `commands.deny "rm -rf *"`}},
		{"a question mark is one character", rules, Command, "sudo rm x", Decision{Deny, `commands.deny "sudo rm ?"`}},
		{"a question mark is one character of several bytes", rules, Command, "sudo rm é", Decision{Deny, `commands.deny "sudo rm ?"`}},
		{"a rule that denies holds with more arguments", rules, Command, "sudo rm x y", Decision{Deny, `commands.deny "sudo rm ?"`}},
		{"a denied command after &&", rules, Command, "echo a && rm -rf /", Decision{Deny, `commands.deny "rm -rf *"`}},
		{"a denied command after ;", rules, Command, "echo a;rm -rf /", Decision{Deny, `commands.deny "rm -rf *"`}},
		{"a denied command on the second line", rules, Command, "echo a\nrm -rf /", Decision{Deny, `commands.deny "rm -rf *"`}},
		{"a denied command after a carriage return", rules, Command, "echo a\r\nrm -rf /", Decision{Deny, `commands.deny "rm -rf *"`}},
		{"a denied command in a pipe", rules, Command, "echo a | rm -rf /", Decision{Deny, `commands.deny "rm -rf *"`}},
		{"a denied command in the background", rules, Command, "echo a & rm -rf /", Decision{Deny, `commands.deny "rm -rf *"`}},
		{"a denied command in $()", rules, Command, "echo $(rm -rf /)", Decision{Deny, `commands.deny "rm -rf *"`}},
		{"a denied command in backticks", rules, Command, "echo `rm -rf /`", Decision{Deny, `commands.deny "rm -rf *"`}},
		{"a denied command in a subshell", rules, Command, "(rm -rf /)", Decision{Deny, `commands.deny "rm -rf *"`}},
		{"a denied command in braces", rules, Command, "{ rm -rf /; }", Decision{Deny, `commands.deny "rm -rf *"`}},
		{"a denied command that is negated", rules, Command, "! rm -rf / || true", Decision{Deny, `commands.deny "rm -rf *"`}},
		{"a denied command as a mere argument", rules, Command, "echo rm -rf /", Decision{Allow, `commands.allow "echo *"`}},
		{"an asked command after ;", rules, Command, "echo a; curl x", Decision{Ask, `commands.ask "curl *"`}},
		{"an allow doesn't cover ;", rules, Command, "echo a; reboot", Decision{Ask, "default"}},
		{"an allow doesn't cover &&", rules, Command, "echo a && reboot", Decision{Ask, "default"}},
		{"an allow doesn't cover |", rules, Command, "echo a | reboot", Decision{Ask, "default"}},
		{"an allow doesn't cover a second line", rules, Command, "echo a\nreboot", Decision{Ask, "default"}},
		{"an allow doesn't cover $()", rules, Command, "echo $(reboot)", Decision{Ask, "default"}},
		{"an allow doesn't cover backticks", rules, Command, "echo `reboot`", Decision{Ask, "default"}},
		{"an allow covers a redirection where files may be written", rules, Command, "echo a > f", Decision{Allow, `commands.allow "echo *"`}},
		{"an allow doesn't cover a redirection where files may not be written", noWrites, Command, "echo a > f", Decision{Deny, "file_write"}},
		{"a redirection to no file writes none", noWrites, Command, "echo a 2>&1 >/dev/null", Decision{Allow, `commands.allow "echo *"`}},
		{"an allow doesn't cover <()", rules, Command, "echo <(reboot)", Decision{Ask, "default"}},
		{"a compound command is as strict as its strictest part", closed, Command, "echo a; reboot", Decision{Deny, "default"}},
		{"each part of a compound command may be allowed", rules, Command, "echo a && pnpm test", Decision{Allow, `commands.allow "echo *"`}},
		{"allow wins over a default that denies", closed, Command, "pnpm test", Decision{Allow, `commands.allow "pnpm test"`}},
		{"ask wins over a default that denies", closed, Command, "curl x", Decision{Ask, `commands.ask "curl *"`}},
		{"what no rule names gets the default", closed, Command, "make", Decision{Deny, "default"}},
		{"an empty command gets the default", rules, Command, " \n ", Decision{Ask, "default"}},
		{"a file write has its own action", rules, FileWrite, "/w/passwd", Decision{Allow, "file_write"}},
		{"a file write without one gets the default", Policy{Default: Deny}, FileWrite, "x", Decision{Deny, "default"}},
		{"a tool gets the default", closed, Tool, "fetch", Decision{Deny, "default"}},
		{"the network is allowed", closed, Network, "example.com:443", Decision{Allow, "network.default"}},
		{"the network can be denied", Policy{Network: Deny}, Network, "example.com:443", Decision{Deny, "network.default"}},
		{"an unknown kind gets the default", closed, "moon", "x", Decision{Deny, "default"}},
		{"no policy asks", Policy{}, Command, "ls", Decision{Ask, "default"}},
		{"a default that is no action denies", Policy{Default: "alow"}, Command, "ls", Decision{Deny, `default ("alow" is no action)`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Decide(tt.policy, Request{tt.kind, tt.target})); diff != "" {
				t.Error(diff)
			}
		})
	}
}
