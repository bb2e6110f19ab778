//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// alive reports whether a process runs; a zombie doesn't.
func alive(pid string) bool {
	n, err := strconv.Atoi(pid)
	if err != nil || syscall.Kill(n, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", n))
	if err != nil {
		return !os.IsNotExist(err)
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}

func sessionOf(t *testing.T, pid string) string {
	t.Helper()
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return strings.Fields(rest)[3]
}

func TestCancelStopsARunningCommand(t *testing.T) {
	p, cwd := startAgent(t), t.TempDir()
	id := p.session(cwd)
	// The shell and its child ignore SIGTERM, as a stubborn tool would.
	p.prompt(id, "run trap '' TERM; sleep 600 & echo $$ > shell; echo $! > child; wait")
	shell, child := readWhenThere(t, filepath.Join(cwd, "shell")), readWhenThere(t, filepath.Join(cwd, "child"))
	if got := sessionOf(t, shell); got != shell {
		t.Errorf("the command runs in session %s, want one of its own (%s)", got, shell)
	}
	p.cancel(id)
	got := p.until(answerTo("prompt"))
	if reason := got[len(got)-1].Result.StopReason; reason != "cancelled" {
		t.Errorf("stop reason %q", reason)
	}
	for _, pid := range []string{shell, child} {
		eventually(t, "process "+pid+" is dead", func() bool { return !alive(pid) })
	}
	if _, answer := p.turn(id, "say next"); answer.Result.StopReason != "end_turn" {
		t.Errorf("the next prompt: %s", answer.raw)
	}
}

func TestChildOutlivesTheAgent(t *testing.T) {
	p, cwd := startAgent(t), t.TempDir()
	p.turn(p.session(cwd), "child ignore-term beats")
	pid, _, _ := strings.Cut(readWhenThere(t, filepath.Join(cwd, "beats")), "\n")
	if got := sessionOf(t, pid); got != pid {
		t.Errorf("the child is in session %s, want one of its own (%s)", got, pid)
	}
	if err := p.in.Close(); err != nil {
		t.Fatal(err)
	}
	p.exit()

	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(n, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	size := func() int64 {
		info, err := os.Stat(filepath.Join(cwd, "beats"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	eventually(t, "the heartbeats go on", func() bool { return size() > before+int64(4*len(pid)) })
	if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the child is dead", func() bool { return !alive(pid) })
}

func TestEndsOfTheProcess(t *testing.T) {
	tests := []struct {
		name   string
		lines  []string
		code   int
		signal syscall.Signal
		stderr string
	}{
		{"exit says its code", []string{"exit 3"}, 3, 0, ""},
		{"a crash is a panic", []string{"crash"}, 2, 0, "panic: crash"},
		{"a command may kill the agent", []string{"run kill -9 $PPID"}, -1, syscall.SIGKILL, ""},
		{"SIGTERM ends it", []string{"run kill -15 $PPID", "sleep 10m"}, -1, syscall.SIGTERM, ""},
		{"SIGTERM may be ignored", []string{"ignore-term", "run kill -15 $PPID", "exit 7"}, 7, 0, ""},
		{"stderr is kept apart", []string{"stderr oh no", "exit 0"}, 0, 0, "oh no\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := startAgent(t)
			p.prompt(p.session(t.TempDir()), tt.lines...)
			state := p.exit()
			status := state.Sys().(syscall.WaitStatus)
			if state.ExitCode() != tt.code || status.Signaled() && status.Signal() != tt.signal {
				t.Errorf("ended with %v, want code %d, signal %v", state, tt.code, tt.signal)
			}
			if !strings.Contains(p.stderr.String(), tt.stderr) {
				t.Errorf("stderr is %q, want %q in it", p.stderr, tt.stderr)
			}
		})
	}
}

func TestStdinEOFEndsTheAgentWithZero(t *testing.T) {
	t.Run("while idle", func(t *testing.T) {
		p := startAgent(t)
		if err := p.in.Close(); err != nil {
			t.Fatal(err)
		}
		if got := p.exit(); got.ExitCode() != 0 {
			t.Error(got)
		}
	})
	t.Run("in a turn, whose command it stops", func(t *testing.T) {
		p, cwd := startAgent(t), t.TempDir()
		p.prompt(p.session(cwd), "run echo $$ > pid; sleep 600")
		pid := readWhenThere(t, filepath.Join(cwd, "pid"))
		if err := p.in.Close(); err != nil {
			t.Fatal(err)
		}
		if got := p.exit(); got.ExitCode() != 0 {
			t.Error(got)
		}
		eventually(t, "the command is dead", func() bool { return !alive(pid) })
	})
	t.Run("unless told to stay", func(t *testing.T) {
		p := startAgent(t)
		p.turn(p.session(t.TempDir()), "ignore-eof")
		if err := p.in.Close(); err != nil {
			t.Fatal(err)
		}
		if !alive(fmt.Sprint(p.cmd.Process.Pid)) {
			t.Error("the agent is gone")
		}
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if got := p.exit(); got.ExitCode() != -1 {
			t.Errorf("it ended by itself: %v", got)
		}
	})
}

// readWhenThere waits until a file has a whole line and returns it.
func readWhenThere(t *testing.T, path string) string {
	t.Helper()
	var content string
	eventually(t, path+" has a line", func() bool {
		b, err := os.ReadFile(path)
		content = string(b)
		return err == nil && strings.HasSuffix(content, "\n")
	})
	return strings.TrimSpace(content)
}
