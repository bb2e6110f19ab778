package providertest

import (
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func environmentCases() []testCase {
	return []testCase{
		{"a command's variables are set, whatever is in them", variables},
		{"odd names of variables arrive", oddNames},
		{"a command's variables are those of this command only", ownVariables},
		{"HOME is the home of info, and PATH finds programs", homeAndPath},
		{"the directory is honoured, absolute or under the root", directory},
		{"a script is run by sh", scripts},
		{"arguments arrive as they are", arguments},
		{"an argument of 100 KiB arrives", bigArgument},
	}
}

func variables(b *bed) {
	for _, value := range []string{
		"plain", "", "a=b=c", "two\nlines\n", " blanks ", "inv\xff\xfelid", `"quotes' \ $HOME $(touch x) ` + "`touch x`", "世界",
		strings.Repeat("x", 100<<10),
	} {
		r := b.run(sandbox.Command{Argv: shell(`printf %s "$VALUE"`), Env: map[string]string{"VALUE": value}})
		b.sameBytes("variable", r.stdout, []byte(value))
	}
	b.sh("test ! -e x")
	if got := b.run(sandbox.Command{Script: `echo "${EMPTY+set}"`, Env: map[string]string{"EMPTY": ""}}); string(got.stdout) != "set\n" {
		b.Errorf("an empty variable isn't set")
	}
}

func oddNames(b *bed) {
	env := map[string]string{"with.dot": "1", "with-dash": "2", "with blank": "3", "ünï": "4", "inv\xffalid": "5", "lower": "6"}
	// Not through a shell: those drop names that aren't theirs.
	r := b.run(sandbox.Command{Argv: []string{"env"}, Env: env})
	for name, value := range env {
		if !strings.Contains("\n"+string(r.stdout), "\n"+name+"="+value+"\n") {
			b.Errorf("%q isn't set", name)
		}
	}
}

func ownVariables(b *bed) {
	b.run(sandbox.Command{Script: "true", Env: map[string]string{"LEAKED": "x"}})
	if got := b.sh(`echo "${LEAKED-unset}"`); got != "unset\n" {
		b.Errorf("a variable of an earlier command is %q", got)
	}
}

func homeAndPath(b *bed) {
	if got := b.sh(`printf %s "$HOME"`); got != b.sb.Info().Home {
		b.Errorf("HOME is %q, info says %q", got, b.sb.Info().Home)
	}
	if got := b.sh(`printf %s "$PATH"`); got == "" {
		b.Errorf("PATH is empty")
	}
	b.sh(`mkdir bin && printf '#!/bin/sh\necho mine\n' >bin/my-program && chmod 755 bin/my-program`)
	r := b.run(sandbox.Command{Argv: []string{"my-program"}, Env: map[string]string{"PATH": b.sb.Info().Root + "/bin:/usr/bin:/bin"}})
	if string(r.stdout) != "mine\n" {
		b.Errorf("a program in the command's own PATH: %+v %q", r.exit, r.stderr)
	}
}

func directory(b *bed) {
	root := b.sb.Info().Root
	odd := "an odd\nfolder $(touch x)"
	b.sh(`mkdir -p sub/deep "$1"`, odd)
	for _, d := range []struct{ dir, want string }{
		{"", root},
		{"sub/deep", root + "/sub/deep"},
		{root + "/sub", root + "/sub"},
		{"/", "/"},
		{".", root},
		{odd, root + "/" + odd},
		{b.sb.Info().StateDir, b.sb.Info().StateDir},
	} {
		r := b.run(sandbox.Command{Argv: []string{"pwd", "-P"}, Dir: d.dir})
		if string(r.stdout) != d.want+"\n" {
			b.Errorf("dir %q: pwd says %q, want %q", d.dir, r.stdout, d.want)
		}
	}
}

func scripts(b *bed) {
	for _, s := range []struct{ script, want string }{
		{"cat <<END\na $((1+1)) b\nEND\n", "a 2 b\n"},
		{"cat <<'END'\n$HOME `x` \\\nEND", "$HOME `x` \\\n"},
		{"echo one; echo two | tr a-z A-Z", "one\nTWO\n"},
		{"# a comment\necho 'it''s'", "its\n"},
		{"printf '%s' \"$#\"", "0"},
	} {
		r := b.run(sandbox.Command{Script: s.script})
		if string(r.stdout) != s.want {
			b.Errorf("%q printed %q, want %q; stderr %q", s.script, r.stdout, s.want, r.stderr)
		}
	}
}

func arguments(b *bed) {
	var all []byte
	for c := 1; c < 256; c++ {
		all = append(all, byte(c))
	}
	want := []string{"", "-n", "--", "a b", "*", "$HOME", "$(touch x)", "`x`", "'", `"`, `\`, "\n", "世", string(all), ""}
	r := b.run(sandbox.Command{Argv: shell(`printf '%s\n' "$#"; for a; do printf '%s\0' "$a"; done`, want...)})
	b.sameBytes("arguments", r.stdout, []byte("15\n"+strings.Join(want, "\x00")+"\x00"))
	b.sh("test ! -e x")
}

func bigArgument(b *bed) {
	big := strings.Repeat("0123456789abcdef", 100<<10/16)
	r := b.run(sandbox.Command{Argv: shell(`printf %s "$1"`, big)})
	b.sameBytes("argument", r.stdout, []byte(big))
}
