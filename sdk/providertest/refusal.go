package providertest

import (
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func refusalCases() []testCase {
	cases := []testCase{
		{"a missing folder is NotFound and is named", missingDir},
		{"a command that starts nothing leaves nothing alive", nothingAlive},
		{"an id in use is a Conflict, and the first goes on", idInUse},
		{"an id may be used again after its process has ended", idAgain},
		{"every byte that an id may have works", oddIDs},
		{"a user that isn't there is an error with a class", strangeUser},
		{"the sandbox's own user may be named", ownUser},
		{"a script of 200 KiB runs or is Invalid", bigScript},
	}
	for _, r := range []struct {
		name string
		cmd  sandbox.Command
	}{
		{"a command without argv and script is Invalid", sandbox.Command{ID: "p"}},
		{"a command with argv and script is Invalid", sandbox.Command{ID: "p", Argv: []string{"true"}, Script: "true"}},
		{"an empty program is Invalid", sandbox.Command{ID: "p", Argv: []string{""}}},
		{"an empty id is Invalid", sandbox.Command{Script: "true"}},
		{"an id of 129 bytes is Invalid", sandbox.Command{ID: strings.Repeat("p", 129), Script: "true"}},
		{"an id with a slash is Invalid", sandbox.Command{ID: "../p", Script: "true"}},
		{"an id with a blank is Invalid", sandbox.Command{ID: "a b", Script: "true"}},
		{"an id with a newline is Invalid", sandbox.Command{ID: "a\n", Script: "true"}},
		{"an id beyond ASCII is Invalid", sandbox.Command{ID: "ä", Script: "true"}},
		{"NUL in an argument is Invalid", sandbox.Command{ID: "p", Argv: []string{"echo", "a\x00b"}}},
		{"NUL in a script is Invalid", sandbox.Command{ID: "p", Script: "echo a\x00b"}},
		{"NUL in a variable is Invalid", sandbox.Command{ID: "p", Script: "true", Env: map[string]string{"A": "a\x00b"}}},
		{"a variable without a name is Invalid", sandbox.Command{ID: "p", Script: "true", Env: map[string]string{"": "x"}}},
		{"a variable with = in its name is Invalid", sandbox.Command{ID: "p", Script: "true", Env: map[string]string{"A=B": "x"}}},
		{"a negative timeout is Invalid", sandbox.Command{ID: "p", Script: "true", Timeout: -1e9}},
		{"a negative output limit is Invalid", sandbox.Command{ID: "p", Script: "true", MaxOutput: -1}},
	} {
		cases = append(cases, testCase{r.name, func(b *bed) {
			p, err := b.sb.Start(b.ctx, r.cmd)
			b.mustBe("start", err, sandbox.Invalid)
			if err == nil {
				_ = p.Close()
			}
		}})
	}
	return cases
}

func missingDir(b *bed) {
	b.put("a file", nil)
	for _, dir := range []string{"/no/such/folder", "no/such/folder", "a file"} {
		want := []sandbox.Class{sandbox.NotFound}
		if dir == "a file" {
			want = append(want, sandbox.Invalid)
		}
		p, err := b.sb.Start(b.ctx, sandbox.Command{ID: "p", Script: "true", Dir: dir})
		b.mustBe("start in "+dir, err, want...)
		if err == nil {
			_ = p.Close()
		} else if !strings.Contains(err.Error(), dir) {
			b.Errorf("the error doesn't name %q: %v", dir, err)
		}
	}
}

func nothingAlive(b *bed) {
	_, err := b.sb.Start(b.ctx, sandbox.Command{ID: "p", Script: "true", Dir: "/no/such/folder"})
	b.mustBe("start", err, sandbox.NotFound)
	if alive, err := b.sb.Alive(b.ctx, "p"); alive == sandbox.AliveYes || err != nil {
		b.Errorf("alive: %v %v", alive, err)
	}
	b.sameExit(b.run(sandbox.Command{ID: "p", Script: "exit 3"}).exit, exited(3))
}

func idInUse(b *bed) {
	in := newGate(b)
	p := b.start(b.sb, sandbox.Command{ID: "same", Script: "read line; exit 5", Stdin: in.reader})
	for _, sb := range []sandbox.Sandbox{b.sb, b.resume(b.second())} {
		again, err := sb.Start(b.ctx, sandbox.Command{ID: "same", Script: "true"})
		b.mustBe("start again", err, sandbox.Conflict)
		if err == nil {
			_ = again.Close()
		}
	}
	b.noError("close stdin", in.writer.Close())
	b.sameExit(b.wait(p), exited(5))
}

func idAgain(b *bed) {
	// At once, and often: nothing that is still tidied up after the one before
	// may hit the next.
	for range 200 {
		p := b.start(b.sb, sandbox.Command{ID: "again", Script: "sleep 0.002; exit 3"})
		b.sameExit(b.wait(p), exited(3))
	}
	b.sameExit(b.runIn(b.resume(b.second()), sandbox.Command{ID: "again", Script: "exit 4"}).exit, exited(4))
}

func oddIDs(b *bed) {
	const all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	for _, id := range []string{all, ".", "..", "-rf", "a", strings.Repeat("x", 128)} {
		if b.first().Capabilities().KillableProcesses {
			p := b.start(b.sb, sandbox.Command{ID: id, Script: "sleep 1000"})
			if alive, err := b.resume(b.second()).Alive(b.ctx, id); alive != sandbox.AliveYes || err != nil {
				b.Errorf("id %q: alive %v %v", id, alive, err)
			}
			b.noError("kill "+id, b.sb.Kill(b.ctx, id, 0))
			b.sameExit(b.wait(p), bySignal(9))
		}
		b.sameExit(b.run(sandbox.Command{ID: id, Script: "exit 3"}).exit, exited(3))
	}
}

func strangeUser(b *bed) {
	p, err := b.sb.Start(b.ctx, sandbox.Command{ID: "p", Script: "true", User: "no-such-user-here"})
	b.mustBe("start", err, sandbox.NotFound, sandbox.Invalid, sandbox.Denied, sandbox.Unsupported)
	if err == nil {
		_ = p.Close()
	}
}

func ownUser(b *bed) {
	r := b.run(sandbox.Command{Script: "id -un", User: b.sb.Info().User})
	if string(r.stdout) != b.sb.Info().User+"\n" {
		b.Errorf("it runs as %q, want %q", r.stdout, b.sb.Info().User)
	}
}

func bigScript(b *bed) {
	script := "printf %s " + strings.Repeat("x", 200<<10)
	var out buffer
	p, err := b.sb.Start(b.ctx, sandbox.Command{ID: "big", Script: script, Stdout: &out})
	if err != nil {
		b.mustBe("start", err, sandbox.Invalid)
		return
	}
	defer func() { _ = p.Close() }()
	if exit := b.wait(p); !exit.Ok() || len(out.Bytes()) != 200<<10 {
		b.Errorf("exit %+v with %d bytes", exit, len(out.Bytes()))
	}
}
