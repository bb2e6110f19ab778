package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// typist is stdin that is typed when the test says so.
func typist(t *testing.T) (stdin io.Reader, typed func(text string)) {
	t.Helper()
	r, w := io.Pipe()
	t.Cleanup(func() { _ = w.Close() })
	return r, func(text string) {
		t.Helper()
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
}

func screen(rows, cols uint16) *sandbox.Size { return &sandbox.Size{Rows: rows, Cols: cols} }

func TestTerminal(t *testing.T) {
	b := newBox(t)
	t.Run("is that of the process, with all three streams", func(t *testing.T) {
		got := run(t, b, sandbox.Command{Script: "test -t 0 && test -t 1 && test -t 2 && stty size </dev/tty && echo more >&2", TTY: screen(33, 121)})
		if !got.exit.Ok() || got.stdout != "33 121\r\nmore\r\n" || got.stderr != "" {
			t.Errorf("%+v", got)
		}
		clean(t, b)
	})
	t.Run("passes Ctrl-C on as a signal", func(t *testing.T) {
		stdin, typed := typist(t)
		var out output
		p := begin(t, b, sandbox.Command{
			Script: "trap 'echo heard; exit 3' INT; echo ready; while :; do sleep 0.05; done", TTY: screen(24, 80), Stdin: stdin, Stdout: &out,
		})
		eventually(t, "it is ready", func() bool { return strings.Contains(out.String(), "ready") })
		typed("\x03")
		if exit := wait(t, p); exit.Code != 3 || !strings.Contains(out.String(), "heard") {
			t.Errorf("%+v %q", exit, &out)
		}
	})
	t.Run("gives the end of stdin, in the middle of a line too", func(t *testing.T) {
		for _, text := range []string{"", "whole\n", "half"} {
			got := run(t, b, sandbox.Command{Script: "stty -echo; echo ready; cat; echo end", TTY: screen(24, 80), Stdin: strings.NewReader(text)})
			if !got.exit.Ok() || !strings.Contains(got.stdout, "end\r\n") || !strings.Contains(got.stdout, strings.TrimSpace(text)) {
				t.Errorf("%q: %+v", text, got)
			}
		}
	})
	t.Run("is closed although a process that was left holds it", func(t *testing.T) {
		got := run(t, b, sandbox.Command{Script: "trap '' HUP; sleep 1000 & echo out", TTY: screen(24, 80)})
		if !got.exit.Ok() || got.stdout != "out\r\n" || !strings.Contains(got.exit.Left, "sleep 1000") {
			t.Errorf("%+v", got)
		}
		clean(t, b)
	})
	t.Run("goes when the process is let go of, and what hangs on to it too", func(t *testing.T) {
		stdin, _ := typist(t)
		p := begin(t, b, sandbox.Command{Script: "trap '' HUP TERM; setsid sleep 1000 & cat", TTY: screen(24, 80), Stdin: stdin})
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		wait(t, p)
		clean(t, b)
		if err := p.Resize(t.Context(), *screen(1, 1)); err != nil {
			t.Errorf("resize after the end: %v", err)
		}
	})
	t.Run("isn't for a process that nobody stays with", func(t *testing.T) {
		_, err := b.Start(t.Context(), sandbox.Command{ID: "p", Script: ":", TTY: screen(1, 1), Detached: true})
		wantClass(t, err, sandbox.Invalid, "terminal")
	})
	t.Run("leaves no file open here", func(t *testing.T) {
		before := open(t)
		for range 3 {
			run(t, b, sandbox.Command{Script: "exit 0", TTY: screen(24, 80), Stdin: strings.NewReader("")})
			run(t, b, sandbox.Command{Argv: []string{"no-such-program"}, TTY: screen(24, 80)})
		}
		eventually(t, "all are closed", func() bool { return open(t) <= before })
	})
}

// open is how many files this process has open.
func open(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}
