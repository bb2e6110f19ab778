package policy

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDecide(t *testing.T) {
	rules := Policy{Default: Ask, FileWrite: Allow, Commands: Commands{
		Allow: []string{"pnpm test", "git diff *", "git *", "echo *", "sudo *"},
		Ask:   []string{"pnpm install", "curl *", "git push*"},
		Deny:  []string{"rm -rf *", "  git   push  --force*", "sudo rm ?"},
	}}
	open, closed := rules, rules
	open.Default, closed.Default = Allow, Deny
	const compoundEcho = `commands.allow "echo *" (not for a compound command)`
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
		{"a trailing star needs its blank", rules, Command, "gitk", Decision{Ask, "default"}},
		{"blanks at the ends don't count", rules, Command, "  pnpm\ttest \n", Decision{Allow, `commands.allow "pnpm test"`}},
		{"ask wins over allow", rules, Command, "git push origin", Decision{Ask, `commands.ask "git push*"`}},
		{"deny wins over ask and allow", rules, Command, "git push --force origin", Decision{Deny, `commands.deny "  git   push  --force*"`}},
		{"runs of blanks don't hide a denied command", rules, Command, "rm   -rf \t /", Decision{Deny, `commands.deny "rm -rf *"`}},
		{"a continued line doesn't hide a denied command", rules, Command, "rm \\\n -rf /", Decision{Deny, `commands.deny "rm -rf *"`}},
		{"a question mark is one character", rules, Command, "sudo rm x", Decision{Deny, `commands.deny "sudo rm ?"`}},
		{"a question mark is one character of several bytes", rules, Command, "sudo rm é", Decision{Deny, `commands.deny "sudo rm ?"`}},
		{"a question mark isn't two characters", rules, Command, "sudo rm xy", Decision{Allow, `commands.allow "sudo *"`}},
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
		{"an allow doesn't cover ;", rules, Command, "echo a; reboot", Decision{Ask, compoundEcho}},
		{"an allow doesn't cover &&", rules, Command, "echo a && reboot", Decision{Ask, compoundEcho}},
		{"an allow doesn't cover |", rules, Command, "echo a | sh", Decision{Ask, compoundEcho}},
		{"an allow doesn't cover a second line", rules, Command, "echo a\nreboot", Decision{Ask, compoundEcho}},
		{"an allow doesn't cover $()", rules, Command, "echo $(reboot)", Decision{Ask, compoundEcho}},
		{"an allow doesn't cover backticks", rules, Command, "echo `reboot`", Decision{Ask, compoundEcho}},
		{"an allow doesn't cover a redirection", rules, Command, "echo a > ~/.profile", Decision{Ask, compoundEcho}},
		{"an allow doesn't cover <()", rules, Command, "echo <(reboot)", Decision{Ask, compoundEcho}},
		{"a compound command isn't milder than a deny default", closed, Command, "echo a; reboot", Decision{Deny, "default"}},
		{"a compound command is asked about under an allow default", open, Command, "echo a; reboot", Decision{Ask, compoundEcho}},
		{"what no rule names gets the default", closed, Command, "make", Decision{Deny, "default"}},
		{"an empty command gets the default", rules, Command, " \n ", Decision{Ask, "default"}},
		{"a file write has its own action", rules, FileWrite, "/etc/passwd", Decision{Allow, "file_write"}},
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

func TestMatchAgreesWithARegularExpression(t *testing.T) {
	alphabet := rapid.StringOfN(rapid.RuneFrom([]rune("ab */é.[\n")), 0, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		glob := strings.ReplaceAll(alphabet.Draw(t, "glob"), "[", "?")
		text := strings.NewReplacer("*", "c").Replace(alphabet.Draw(t, "text"))
		pattern := strings.NewReplacer(`\*`, `(?s:.*)`, `\?`, `(?s:.)`).Replace(regexp.QuoteMeta(glob))
		if want := regexp.MustCompile(`\A` + pattern + `\z`).MatchString(text); match(glob, text) != want {
			t.Fatalf("match(%q, %q) is %v", glob, text, !want)
		}
	})
}

func TestMatchIsQuickOnHostileGlobs(t *testing.T) {
	text := strings.Repeat("a", 20000)
	if match(strings.Repeat("a*", 50)+"b", text) {
		t.Error("a glob with a b fits a text without one")
	}
}

func FuzzDecideNeverAllowsACompoundCommand(f *testing.F) {
	f.Add("git diff; rm x")
	f.Add("git diff \\\n x")
	f.Fuzz(func(t *testing.T, command string) {
		d := Decide(Policy{Default: Deny, Commands: Commands{Allow: []string{"*"}}}, Request{Command, command})
		if d.Action == Allow && strings.ContainsAny(strings.TrimSpace(command), ";&|`<>") {
			t.Errorf("%q is allowed", command)
		}
	})
}
