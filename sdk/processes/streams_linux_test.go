package processes_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// failing is an output that takes so many writes.
type failing struct{ takes int }

func (f *failing) Write(p []byte) (int, error) {
	if f.takes--; f.takes < 0 {
		return 0, errors.New("no space")
	}
	return len(p), nil
}

func TestAnOutputThatFailsIsNoEndOfTheCommand(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	var errs bytes.Buffer
	exit := wait(t, start(t, r, sandbox.Command{
		Script: "yes | head -c 1000000; echo end >&2; exit 3", Stdout: &failing{takes: 1}, Stderr: &errs,
	}))
	if exit.Code != 3 || errs.String() != "end\n" {
		t.Errorf("got %+v, %q", exit, errs.String())
	}
}

// blocking is an output that takes nothing until it is let.
type blocking struct{ let chan struct{} }

func (b blocking) Write(p []byte) (int, error) {
	<-b.let
	return len(p), nil
}

func TestAnOutputThatBlocksBlocksTheCommand(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	out, errs := blocking{make(chan struct{})}, watching()
	p := start(t, r, sandbox.Command{
		Script: "echo start >&2; head -c 4000000 /dev/zero; echo end >&2", Stdout: out, Stderr: errs,
	})
	errs.await(t, "start")
	if strings.Contains(errs.String(), "end") {
		t.Error("4 MB went where nobody reads")
	}
	close(out.let)
	errs.await(t, "end")
	if exit := wait(t, p); exit.Code != 0 {
		t.Errorf("got %+v", exit)
	}
}

// TestAnInputThatBreaksIsNoEndOfIt has a reader that fails: the command must not
// take what it got for the whole.
func TestAnInputThatBreaksIsNoEndOfIt(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	out := watching()
	broken := io.MultiReader(strings.NewReader("half\n"), readerFunc(func([]byte) (int, error) { return 0, fmt.Errorf("broken") }))
	p := start(t, r, sandbox.Command{Script: "cat; echo whole", Stdin: broken, Stdout: out})
	out.await(t, "half")
	must(t, p.Close())
	if exit := wait(t, p); exit.Reason != sandbox.ReasonSignaled || strings.Contains(out.String(), "whole") {
		t.Errorf("got %+v, %q", exit, out.String())
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestATerminalHasItsSizeAndItsEnd(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	out := watching()
	in, typing := io.Pipe()
	p := start(t, r, sandbox.Command{
		Script: "stty size; while read -r line; do echo got $line; stty size; done; echo over", Stdin: in, Stdout: out, TTY: &sandbox.Size{Rows: 10, Cols: 20},
	})
	out.await(t, "10 20")
	must(t, p.Resize(t.Context(), sandbox.Size{Rows: 30, Cols: 40}))
	_, err := io.WriteString(typing, "line\n")
	must(t, err)
	out.await(t, "got line")
	out.await(t, "30 40")
	must(t, typing.Close())
	out.await(t, "over")
	if exit := wait(t, p); exit.Code != 0 {
		t.Errorf("got %+v", exit)
	}
	must(t, p.Resize(t.Context(), sandbox.Size{Rows: 1, Cols: 1})) // nobody looks any more

	err = start(t, r, sandbox.Command{ID: "q", Script: "sleep 60"}).Resize(t.Context(), sandbox.Size{Rows: 1, Cols: 1})
	if !errors.Is(err, sandbox.Unsupported) {
		t.Errorf("without a terminal: got %v", err)
	}
}
