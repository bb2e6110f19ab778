package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// TestEveryCommandTellsItsOwnEnd asks for the marker, both streams and the exit
// code of many commands, 16 at a time; SANDLOT_DOCKER_EXECS says of how many.
func TestEveryCommandTellsItsOwnEnd(t *testing.T) {
	t.Parallel()
	count := 500
	if text := os.Getenv("SANDLOT_DOCKER_EXECS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		count = n
	}
	b := newBox(t, config{})
	const wide = 16
	todo := make(chan int)
	var all sync.WaitGroup
	for range wide {
		all.Go(func() {
			for n := range todo {
				script := fmt.Sprintf("echo marker-%d; echo error-%d >&2; exit %d", n, n, n%256)
				out, err := sandbox.Exec(t.Context(), b, sandbox.Command{ID: fmt.Sprint("echo-", n), Script: script})
				if err != nil || out.Exit.Code != n%256 || out.Exit.Reason != sandbox.ReasonExited ||
					string(out.Stdout) != fmt.Sprintf("marker-%d\n", n) || string(out.Stderr) != fmt.Sprintf("error-%d\n", n) {
					t.Errorf("%d: %q, %q, %+v, %v", n, out.Stdout, out.Stderr, out.Exit, err)
				}
			}
		})
	}
	for n := range count {
		todo <- n
	}
	close(todo)
	all.Wait()
	onlyOurs(t, b)
}

// TestAHundredKillsLeaveNothing looks with the engine's eyes, which no process of
// the container can hide from.
func TestAHundredKillsLeaveNothing(t *testing.T) {
	t.Parallel()
	b := newBox(t, config{})
	const tree = `trap '' TERM; (setsid sh -c 'trap "" TERM; sleep 1000 & sleep 1000' &); (sleep 1000 &); sleep 1000; sleep 1000`
	for n := range 100 {
		id := fmt.Sprint("tree-", n)
		p, err := b.Start(t.Context(), sandbox.Command{ID: id, Detached: n%2 == 0, Script: tree})
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			if len(top(t, b)) < 4 {
				t.Error("the engine doesn't show what runs")
			}
		}
		if err := b.Kill(t.Context(), id, 0); err != nil {
			t.Error(err)
		}
		if exit, err := p.Wait(t.Context()); err != nil || exit.Signal == 0 {
			t.Errorf("%+v, %v", exit, err)
		}
	}
	onlyOurs(t, b)
}
