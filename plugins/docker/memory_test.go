package main

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// hog uses more memory than there is: awk doubles a text.
const hog = `exec awk 'BEGIN { s = "0123456789abcdef"; while (1) s = s s }'`

func TestOnlyWhatTheKernelTookForItsMemoryIsToldSo(t *testing.T) {
	t.Parallel()
	b := newBox(t, config{Memory: "64MiB"})
	for _, c := range []struct {
		name   string
		script string
		oom    bool
		code   int
	}{
		{"what hits the limit", hog, true, -1},
		{"what waits for one that hits it, as a shell does", "( " + hog + " ); exit $?", true, 137},
		{"what is killed by somebody", "kill -9 $$", false, -1},
		{"what goes on when a child of it has hit it", "( " + hog + " ); exit 3", false, 3},
		{"what ends by itself", "exit 0", false, 0},
	} {
		out := shell(t, b, sandbox.Command{Script: c.script})
		if out.Exit.OOM != c.oom || out.Exit.Code != c.code || c.oom != strings.Contains(out.Exit.Message, "64 MiB") {
			t.Errorf("%s: %+v", c.name, out.Exit)
		}
	}
	// Many small ones use it up together; the guest, larger than each, outlives them.
	before := guestPID(t, b)
	out := shell(t, b, sandbox.Command{Script: `mkfifo wait
		i=0
		while [ $i -lt 60 ]; do
			( awk 'BEGIN { s = "x"; while (length(s) < 4000000) s = s s; getline <"wait" }'; echo $? >>ends ) &
			i=$((i + 1))
		done
		while ! grep -q 137 ends 2>/dev/null; do sleep 0.05; done`})
	if after := guestPID(t, b); after != before {
		t.Errorf("after %+v there is another guest", out.Exit)
	}
}

// The guest isn't what a container protects: whoever is root in it may kill it.
func TestWhatAKilledGuestHasStartedIsUnknown(t *testing.T) {
	t.Parallel()
	b := newBox(t, config{})
	bound, err := b.Start(t.Context(), sandbox.Command{ID: "bound", Script: "sleep 1000 & sleep 1000"})
	if err != nil {
		t.Fatal(err)
	}
	stays, err := b.Start(t.Context(), sandbox.Command{ID: "stays", Detached: true, Script: "sleep 1000"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Start(t.Context(), sandbox.Command{ID: "killer", Detached: true, Script: "kill -9 " + strconv.Itoa(guestPID(t, b))})
	if err != nil && !errors.Is(err, sandbox.Unavailable) {
		t.Fatal(err)
	}
	for _, process := range []sandbox.Process{bound, stays} {
		exit, err := process.Wait(t.Context())
		if exit.Reason != sandbox.ReasonUnknown || !errors.Is(err, sandbox.Unavailable) || !strings.Contains(err.Error(), "was killed") {
			t.Errorf("%+v, %v", exit, err)
		}
	}
	for id, want := range map[string]sandbox.Liveness{"bound": sandbox.AliveNo, "stays": sandbox.AliveYes} {
		if alive, err := b.Alive(t.Context(), id); alive != want || err != nil {
			t.Errorf("%s: %s, %v; want %s", id, alive, err, want)
		}
	}
	if err := b.Kill(t.Context(), "stays", 0); err != nil {
		t.Error(err)
	}
	onlyOurs(t, b)
}

// top is what the engine sees in a container: pid and command.
func top(t *testing.T, b *box) [][]string {
	t.Helper()
	got, err := testEngine(t).ContainerTop(context.WithoutCancel(t.Context()), b.id, []string{"-o", "pid,args"})
	if err != nil {
		t.Fatal(err)
	}
	return got.Processes
}

// onlyOurs wants nothing in the container but init, idle and one guest.
func onlyOurs(t *testing.T, b *box) {
	t.Helper()
	var other []string
	guests := 0
	for _, process := range top(t, b) {
		command := strings.Join(process[1:], " ")
		switch {
		case strings.Contains(command, guestProgram+" serve"):
			guests++
		case strings.HasSuffix(command, guestProgram+" idle"):
		default:
			other = append(other, command)
		}
	}
	if len(other) > 0 || guests != 1 {
		t.Errorf("%d guests, and %q", guests, other)
	}
}

// guestPID is the guest's in its container.
func guestPID(t *testing.T, b *box) int {
	t.Helper()
	out := shell(t, b, sandbox.Command{Script: "echo $PPID"})
	pid, err := strconv.Atoi(strings.TrimSpace(string(out.Stdout)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}
