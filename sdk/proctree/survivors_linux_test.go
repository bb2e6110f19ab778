package proctree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/sandlot-dev/sandlot/sdk/proctree/leakcheck"
)

// allBut ends a tree, or all of them, as a program that may not signal one
// process, and prints what it is told.
func allBut(ctx context.Context, f *Forest, id, untouchable string) error {
	pid, err := strconv.Atoi(untouchable)
	if err == nil {
		err = leakcheck.Shield(pid)
	}
	if err != nil {
		return err
	}
	if os.Getenv(asHelper) == "close-all-but" {
		err = f.Close(ctx, 0)
	} else {
		err = f.Kill(ctx, id, 10*time.Millisecond)
	}
	if left, ok := errors.AsType[*SurvivorsError](err); ok {
		for _, m := range left.Members {
			fmt.Println(m.PID, m.Denied, errors.Is(err, unix.EPERM))
		}
	}
	fmt.Println(err)
	return nil
}

// A process that can't be signalled is another user's, in life. It keeps none of
// the others alive, and it is told of by pid and program, without arguments.
func TestWhatCannotBeSignalledIsToldAndAllElseIsEnded(t *testing.T) {
	for _, verb := range []string{"kill-all-but", "close-all-but"} {
		t.Run(verb, func(t *testing.T) {
			f, beats := open(t, t.TempDir(), Options{MarksOnly: true}), t.TempDir()
			tree := start(t, f, "a", `sleep 1000 & echo $! >"$2.new"; mv "$2.new" "$2"; exec sh -c "$3" sh "$1"`,
				beats, filepath.Join(beats, "untouchable"), leakcheck.Script)
			if err := leakcheck.Await(deadline(t, 20*time.Second), leakcheck.Dir(beats), leakcheck.Names()...); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(beats, "untouchable"))
			if err != nil {
				t.Fatal(err)
			}
			pid := strings.TrimSpace(string(text))
			out, err := another(t, verb, f, "a", pid).Output()
			if err != nil {
				t.Fatal(err)
			}
			first, rest, _ := strings.Cut(string(out), "\n")
			if first != pid+" true true" {
				t.Errorf("survivors: %q, want %s", out, pid)
			}
			want := fmt.Sprintf("1 process couldn't be ended: %s sleep (it runs as uid %d and can't be signalled)", pid, os.Geteuid())
			if !strings.Contains(rest, want) || strings.Contains(rest, "1000") {
				t.Errorf("told %q, want %q", rest, want)
			}
			<-tree.Done()
			if live, err := leakcheck.Leaks(t.Context(), leakcheck.Dir(beats), 100*time.Millisecond); err != nil || len(live) > 0 {
				t.Errorf("it kept alive %q %v", live, err)
			}
			// Whoever may signal it ends it later: the record is still there.
			if l, err := f.Members(t.Context(), "a"); err != nil || len(l) != 1 {
				t.Errorf("members %v %v", l, err)
			}
			if err := f.Kill(t.Context(), "a", 0); err != nil {
				t.Error(err)
			}
			if procs, err := leakcheck.Processes(beats); err != nil || len(procs) > 0 {
				t.Errorf("processes left: %v %v", procs, err)
			}
		})
	}
}

// One that ends while it is waited for is no survivor.
func TestWhatEndsByItselfIsNotReported(t *testing.T) {
	f := open(t, t.TempDir(), Options{MarksOnly: true})
	gate := filepath.Join(t.TempDir(), "gate")
	// The untouchable one ends when its sibling, who writes its pipe, has.
	tree := start(t, f, "a", `mkfifo "$1.pipe"; sleep 1000 >"$1.pipe" & cat "$1.pipe" &
		echo $! >"$1.new"; mv "$1.new" "$1"; wait`, gate)
	eventually(t, "both run", func() bool { _, err := os.Stat(gate); return err == nil })
	text, err := os.ReadFile(gate)
	if err != nil {
		t.Fatal(err)
	}
	out, err := another(t, "kill-all-but", f, "a", strings.TrimSpace(string(text))).Output()
	if err != nil || string(out) != "<nil>\n" {
		t.Errorf("told %q %v", out, err)
	}
	<-tree.Done()
	noRecord(t, f)
}

// hold is a member that keeps everybody from its tree's record.
func hold(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	fmt.Println("held")
	select {}
}

func TestAMemberThatHoldsTheLockDoesNotLiveOn(t *testing.T) {
	for name, end := range map[string]func(*Forest, context.Context) error{
		"killed": func(f *Forest, ctx context.Context) error { return f.Kill(ctx, "a", 0) },
		"closed": func(f *Forest, ctx context.Context) error { return f.Close(ctx, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachScope(t, func(t *testing.T, f *Forest) {
				r, w, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				spec := Spec{ID: "a", Argv: []string{os.Args[0], f.recordPath("a")}, Env: append(os.Environ(), asHelper+"=hold"), Stdout: w}
				tree, err := f.Start(t.Context(), spec)
				if err := errors.Join(err, w.Close()); err != nil {
					t.Fatal(err)
				}
				if _, err := r.Read(make([]byte, 8)); err != nil {
					t.Fatal(err)
				}
				if err := end(f, deadline(t, 20*time.Second)); err != nil {
					t.Error(err)
				}
				<-tree.Done()
				if l, err := leakcheck.Processes(f.recordPath("a")); err != nil || len(l) > 0 {
					t.Errorf("left %v %v", l, err)
				}
			})
		})
	}
}

func TestSurvivorsInWords(t *testing.T) {
	many := make([]Member, 7)
	for i := range many {
		many[i] = Member{PID: i + 1, State: 'D', Command: "/usr/bin/dd if=secret"}
	}
	for _, c := range []struct {
		name    string
		members []Member
		want    string
	}{
		{"one that is stuck", many[:1], "1 process couldn't be ended: 1 dd (in state D, stuck in the kernel or frozen): broken pipe"},
		{"one that forks faster", []Member{{PID: 3, State: 'R', Command: "sh"}}, "1 process couldn't be ended: 3 sh (in state R): broken pipe"},
		{
			"a hostile name",
			[]Member{{PID: 3, State: 'R', Command: "\x1b[2J\nno\xff" + strings.Repeat("x", 99) + " y"}},
			"1 process couldn't be ended: 3 ?[2J?no?" + strings.Repeat("x", 32) + " (in state R): broken pipe",
		},
		{"no name", []Member{{PID: 3, State: 'R'}}, "1 process couldn't be ended: 3 ? (in state R): broken pipe"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, (&SurvivorsError{Members: c.members, Cause: syscall.EPIPE}).Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
	if text := (&SurvivorsError{Members: many, Cause: syscall.EPIPE}).Error(); strings.Count(text, " dd ") != told || !strings.Contains(text, "and 2 more: broken pipe") {
		t.Error(text)
	}
}
