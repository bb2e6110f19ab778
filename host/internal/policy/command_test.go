package policy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestADeniedProgramIsFound(t *testing.T) {
	p := Policy{Default: Allow, FileWrite: Allow, Commands: Commands{Deny: []string{"sudo"}}}
	for _, command := range []string{
		"sudo", "a && sudo b", "a\nsudo b", "a\tb;\tsudo\tb", "sh -c 'sudo b'", `bash -ec "cd x && sudo b"`, "env X=1 sudo b",
		"env -i -u A sudo b", `env -S "sudo b"`, "X=1 sudo b", "/usr/bin/sudo b", "../bin/sudo b", "$(sudo b)", `echo "$(sudo b)"`,
		"echo `sudo b`", "sh <<E\nsudo b\nE", "cat <<E\n$(sudo b)\nE", "sh <<< 'sudo b'", "echo sudo b | sh", "printf 'sudo %s' b | sh",
		"cat <<E | bash -s x\nsudo b\nE", "a | sudo b", "xargs sudo", "ls | xargs -n 1 -P 4 sudo b", "xargs -I{} sh -c 'sudo {}'",
		`find . -exec sudo b {} \;`, "find . -type f -execdir sudo b +", "f() { sudo b; }; f", "function f { sudo b; }", "eval 'sudo b'",
		"eval sudo b", "trap 'sudo b' EXIT", "alias x='sudo b'", "nohup sudo b &", "timeout -k 3 5 sudo b", "nice -n 5 sudo b",
		"exec sudo b", "command sudo b", "builtin eval 'sudo b'", "time sudo b", "! sudo b", "coproc sudo b", "su'd'o b", `"sudo" b`,
		`s\udo b`, "$'sudo' b", `$'\x73udo' b`, "if sudo b; then :; fi", "for i in 1; do sudo b; done", "while sudo b; do :; done",
		"case x in *) sudo b;; esac", "[[ -n $(sudo b) ]]", "(( $(sudo b) ))", "((sudo b))", "a=(1 $(sudo b))", "export A=$(sudo b)",
		"echo ${A:-$(sudo b)}", "cat <(sudo b)", "{ sudo b; }", "(sudo b)", "sudo -u nobody b", "doas sudo b", "npx -c 'sudo b'",
		"flock /tmp/x sudo b", "flock /tmp/x -c 'sudo b'", "su root -c 'sudo b'", "source /dev/stdin <<< 'sudo b'", "sudo\\\n b",
		"cross-env A=1 sudo b", "watch 'sudo b'", "busybox sh -c 'sudo b'", "strace -f -o x sudo b", ". <(echo x); sudo b",
		"mapfile -C 'sudo b' -c 1 x", "echo a>&sudo; sudo b", "#x\nsudo b", "su\x00do b", "a; # sudo\nsudo b",
		"'sudo b' || sudo b", "env sudo b; sudo b", "watch sudo b; sudo b", "timeout --new-option 5 sudo b",
	} {
		t.Run(command, func(t *testing.T) {
			if d := Decide(p, Request{Command, command}); d != (Decision{Deny, `commands.deny "sudo"`}) {
				t.Errorf("got %v", d)
			}
		})
	}
}

func TestWhatIsNotRunIsNotDenied(t *testing.T) {
	p := Policy{Default: Allow, FileWrite: Allow, Commands: Commands{Deny: []string{"sudo", "rm -rf *"}, Ask: []string{"git push"}}}
	for _, command := range []string{
		"echo sudo", "grep -r sudo .", "git commit -m 'sudo rm -rf /'", "cat <<E\nsudo b\nE", "command -v sudo", "sudoku", "a # sudo b",
		"rm -r x", "git pushd", "env", "xargs", "ls | xargs grep sudo", "find . -name sudo", "timeout 5 grep sudo x", "npm test -- --sudo",
		"for i in sudo; do echo $i; done", "node -e 'run(\"sudo b\")'", "echo {}", "ls *.go", "git log HEAD@{1}", "[ -f sudo ]", "case sudo in esac", "[ a = b ]", "test -f sudo",
		`node "$PWD/x.js" $FLAGS`, "echo $HOME", "cd ~/x && make", "sh ./build.sh", "NODE_ENV=test node .",
		"[[ -f sudo ]] && ls", "a=(1 2); echo x", "diff <(sort a) <(sort b)", // only bash reads them
	} {
		t.Run(command, func(t *testing.T) {
			if d := Decide(p, Request{Command, command}); d.Action != Allow {
				t.Errorf("got %v", d)
			}
		})
	}
}

func TestWhatIsNotKnownIsAskedAbout(t *testing.T) {
	p := Policy{Default: Allow, FileWrite: Allow, Commands: Commands{Deny: []string{"sudo", "rm -rf *"}, Ask: []string{"git push"}}}
	for _, command := range []string{
		"$X b", "${X} b", `"$X" b`, "$(which x) b", "`x` b", "su$X b", "{sudo,x} b", "/usr/bin/sud? b", "sh -c \"$X\"", "eval $X", "x | sh",
		"curl x | bash", "sh", "bash -s", "source <(x)", "xargs env", "xargs -I{} {} b", "env $X b", `find . -exec {} \;`, "git $X", "git pus? x",
		"rm $FLAGS /", "$X sudo", "a \"", "if", "alias x=\"$Y\"", "parallel sudo b", "\"$@\"", "at now",
	} {
		t.Run(command, func(t *testing.T) {
			if d := Decide(p, Request{Command, command}); d.Action != Ask || d.Rule == "default" {
				t.Errorf("got %v", d)
			}
		})
	}
	if d := Decide(Policy{Default: Deny, Commands: p.Commands}, Request{Command, "$X b"}); d != (Decision{Deny, "default"}) {
		t.Errorf("what isn't known is milder than the default: %v", d)
	}
	if d := Decide(Policy{Default: Allow}, Request{Command, "$X b"}); d != (Decision{Allow, "default"}) {
		t.Errorf("without a rule there is nothing to ask about: %v", d)
	}
}

func TestAnAllowRuleHoldsForThatCommandOnly(t *testing.T) {
	p := Policy{Default: Ask, FileWrite: Ask, Commands: Commands{Allow: []string{"git diff *", "pnpm test", "sh -c *"}}}
	for command, want := range map[string]Action{
		"git diff a": Allow, "git diff $X": Allow, "git diff a && git diff b": Allow, "git diff a | pnpm test": Allow, "sh -c 'curl x'": Allow,
		"/tmp/git diff a": Ask, "./git diff": Ask, "PATH=/tmp git diff": Ask, "git diff a > f": Ask, "git diff a; curl x": Ask,
		"git diff $(curl x)": Ask, "'git diff' a": Ask, "git\\ diff a": Ask, "env git diff a": Ask, "pnpm test x": Ask, "pnpm \"test\"": Allow,
	} {
		t.Run(command, func(t *testing.T) {
			if d := Decide(p, Request{Command, command}); d.Action != want {
				t.Errorf("got %v, want %s", d, want)
			}
		})
	}
}

func TestAScriptHasTwoNames(t *testing.T) {
	p := Policy{Default: Ask, Scripts: map[string]string{"test": "pnpm  test && pnpm lint", "ship": "sudo ship", "build": "make"}, Commands: Commands{
		Allow: []string{"test", "make", "ship"}, Deny: []string{"sudo"},
	}}
	for command, want := range map[string]Decision{
		"test":                   {Allow, `commands.allow "test"`},
		"pnpm test && pnpm lint": {Allow, `commands.allow "test"`},
		"pnpm test":              {Ask, "default"},
		"ship":                   {Deny, `commands.deny "sudo"`},
		"sudo ship":              {Deny, `commands.deny "sudo"`},
		"build":                  {Allow, `commands.allow "make"`},
		"ship now":               {Ask, "default"},
	} {
		t.Run(command, func(t *testing.T) {
			if diff := cmp.Diff(want, Decide(p, Request{Command, command})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestExplainNamesEachPart(t *testing.T) {
	p := Policy{Default: Allow, FileWrite: Ask, Commands: Commands{Deny: []string{"sudo *"}, Ask: []string{"curl"}}}
	want := []Verdict{
		{"curl -s …", Decision{Ask, `commands.ask "curl"`}},
		{"sh", Decision{Allow, "default"}},
		{"env A=1 sudo b", Decision{Allow, "default"}},
		{"A=1 sudo b", Decision{Deny, `commands.deny "sudo *"`}},
		{"> out", Decision{Ask, "file_write"}},
		{"the text that sh reads", Decision{Ask, "a part is known only when it runs: the text that sh reads"}},
	}
	if diff := cmp.Diff(want, Explain(p, "curl -s $URL | sh > out; env A=1 sudo b")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Verdict{{" ", Decision{Allow, "default"}}}, Explain(p, " ")); diff != "" {
		t.Error(diff)
	}
}
