package providertest

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func stdinCases() []testCase {
	return []testCase{
		{"without stdin the process reads end of file at once", noStdin},
		{"an empty stdin is end of file", emptyStdin},
		{"10 MiB go through cat, byte for byte", echoed},
		{"the end of stdin reaches the process, its output goes on", stdinEnds},
		{"a reader that never ends doesn't hold the exit", endlessReader},
		{"a process that doesn't read its stdin ends like any other", unreadStdin},
		{"stdin that comes in single bytes arrives", singleBytes},
	}
}

func noStdin(b *bed) {
	p := b.start(b.sb, sandbox.Command{ID: "reader", Script: "if read -r line; then exit 1; else exit 3; fi"})
	b.sameExit(b.wait(p), exited(3))
}

func emptyStdin(b *bed) {
	r := b.run(sandbox.Command{Script: "wc -c", Stdin: strings.NewReader("")})
	if strings.TrimSpace(string(r.stdout)) != "0" {
		b.Errorf("stdout %q", r.stdout)
	}
}

func echoed(b *bed) {
	want := noise(10<<20, 3)
	r := b.run(sandbox.Command{Argv: []string{"cat"}, Stdin: bytes.NewReader(want)})
	b.sameBytes("stdout", r.stdout, want)
}

func stdinEnds(b *bed) {
	in, out := newGate(b), &buffer{}
	p := b.start(b.sb, sandbox.Command{ID: "reader", Script: "cat; echo over; exit 6", Stdin: in.reader, Stdout: out})
	if _, err := io.WriteString(in.writer, "text"); err != nil {
		b.Errorf("write: %v", err)
	}
	if b.sb.Info().Capabilities.WritableStdin {
		b.eventually("the text comes back while stdin is open", func() bool { return out.String() == "text" })
	}
	b.noError("close stdin", in.writer.Close())
	b.sameExit(b.wait(p), exited(6))
	if out.String() != "textover\n" {
		b.Errorf("stdout %q", out)
	}
}

func endlessReader(b *bed) {
	for _, script := range []string{"exit 3", "read -r line; exit 3"} {
		in := newGate(b)
		p := b.start(b.sb, sandbox.Command{ID: b.id("deaf"), Script: script, Stdin: in.reader})
		if script != "exit 3" {
			if _, err := io.WriteString(in.writer, "line\n"); err != nil {
				b.Errorf("write: %v", err)
			}
		}
		b.sameExit(b.wait(p), exited(3))
		b.soon("close", func() { b.noError("close", p.Close()) })
	}
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func unreadStdin(b *bed) {
	for i, script := range []string{"exit 3", "exec <&-; sleep 0.1; exit 3", "head -c 70000 >/dev/null; exit 3"} {
		r := b.run(sandbox.Command{ID: fmt.Sprint("unread-", i), Script: script, Stdin: zeros{}})
		b.sameExit(r.exit, exited(3))
	}
}

// dribble gives one byte at a time.
type dribble struct{ rest string }

func (d *dribble) Read(p []byte) (int, error) {
	if d.rest == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(1, len(p))], d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

func singleBytes(b *bed) {
	want := "世界 of single bytes\x00\xff"
	r := b.run(sandbox.Command{Argv: []string{"cat"}, Stdin: &dribble{want}})
	b.sameBytes("stdout", r.stdout, []byte(want))
}
