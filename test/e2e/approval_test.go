//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// terminal is a sandlot command on a PTY.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	pty  *os.File
	mu   sync.Mutex
	seen bytes.Buffer
	done chan struct{}
}

func (s *stage) terminal(args ...string) *terminal {
	s.t.Helper()
	term := &terminal{t: s.t, cmd: s.command(s.t.Context(), args...), done: make(chan struct{})}
	term.cmd.Env = append(term.cmd.Env, "TERM=xterm")
	var err error
	if term.pty, err = pty.StartWithSize(term.cmd, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = term.pty.Close() })
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 4096)
		for {
			n, err := term.pty.Read(buf)
			term.mu.Lock()
			term.seen.Write(buf[:n])
			term.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	go func() {
		defer close(term.done)
		_ = term.cmd.Wait() // its code is looked at in ends
		<-read
	}()
	return term
}

func (term *terminal) screen() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.seen.String()
}

func (term *terminal) await(text string) {
	term.t.Helper()
	defer func() {
		if term.t.Failed() {
			term.t.Logf("the terminal shows:\n%s", clip(term.screen()))
		}
	}()
	until(term.t, 20*time.Second, "the terminal shows "+text, func() bool { return strings.Contains(term.screen(), text) })
}

func (term *terminal) typed(keys string) {
	term.t.Helper()
	if _, err := term.pty.WriteString(keys); err != nil {
		term.t.Fatal(err)
	}
}

// ends waits for the command's exit and returns its code.
func (term *terminal) ends() int {
	term.t.Helper()
	select {
	case <-term.done:
	case <-time.After(30 * time.Second):
		term.t.Fatalf("the command doesn't end; the terminal shows:\n%s", term.screen())
	}
	return term.cmd.ProcessState.ExitCode()
}

func TestARequestIsAnsweredAtTheTerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, keys, shows string
		made              bool
	}{
		{"yes", "y\n", "allowed by", true},
		{"no", "n\n", "denied by", false},
		{"yes after nonsense", "maybe\nyes\n", "allowed by", true},
		{"yes for the thread", "yt\n", " for this thread", true},
		{"no for the run", "nr\n", " for this run", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newDemo(t)
			file := word()
			term := s.terminal("run", "ask run git init -q "+file+"\nsay over")
			term.await("git init -q " + file)
			term.await("[y/n, ")
			term.typed(c.keys)
			term.await(c.shows)
			term.await("over")
			if code := term.ends(); code != 0 {
				t.Errorf("exit code %d\n%s", code, term.screen())
			}
			_, err := os.Stat(s.root() + "/" + file)
			if made := err == nil; made != c.made {
				t.Errorf("the command ran: %v, want %v", made, c.made)
			}
		})
	}
}

func TestARequestThatNobodyAnswersIsDeniedInTime(t *testing.T) {
	t.Parallel()
	s := newStage(t, fmt.Sprintf(demo, "1s"))
	file := word()
	term := s.terminal("run", "ask run git init -q "+file+"\nsay over")
	term.await("denied by timeout")
	term.await("over")
	if code := term.ends(); code != 0 {
		t.Errorf("exit code %d\n%s", code, term.screen())
	}
	if _, err := os.Stat(s.root() + "/" + file); !os.IsNotExist(err) {
		t.Errorf("the command ran: %v", err)
	}
}

func TestARequestIsAnsweredByAnAttachedTerminal(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	id := strings.TrimSpace(s.run("run", "--detach", "ask run git init -q made\nsay over").want(t, 0).stdout)
	term := s.terminal("attach", id)
	term.await("[y/n, ")
	term.typed("y\n")
	term.await("over")
	if code := term.ends(); code != 0 {
		t.Errorf("exit code %d\n%s", code, term.screen())
	}
	s.file("made/.git/HEAD")
}

func TestCtrlCAtTheTerminalCancels(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	term := s.terminal("run", "say started\nsleep 1h")
	term.await("started")
	term.typed("\x03")
	if code := term.ends(); code != 4 {
		t.Errorf("exit code %d, want 4\n%s", code, term.screen())
	}
}

func TestAClosedTerminalLeavesTheRunGoing(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	term := s.terminal("run", "--run-id", "closed", "say started\nsleep 2s\nwrite after: x\nsay over")
	term.await("started")
	if err := term.pty.Close(); err != nil {
		t.Fatal(err)
	}
	<-term.done
	r := s.run("attach", "closed").want(t, 0)
	if !strings.Contains(r.stdout, "over") {
		t.Errorf("attach shows %q", r.stdout)
	}
	s.file("after")
}

func TestWhatWasTypedForOneRequestAnswersNoOther(t *testing.T) {
	t.Parallel()
	s := newStage(t, fmt.Sprintf(demo, "2s"))
	term := s.terminal("run", "ask run git init -q harmless\nask run git init -q dangerous\nsay over")
	term.await("allow git init -q harmless?")
	term.typed("y") // no Enter yet
	term.await("allow git init -q dangerous?")
	term.typed("\n")
	term.await("over")
	if code := term.ends(); code != 0 {
		t.Errorf("exit code %d\n%s", code, term.screen())
	}
	if _, err := os.Stat(s.root() + "/dangerous"); !os.IsNotExist(err) {
		t.Errorf("the second command ran by the answer to the first: %v\n%s", err, term.screen())
	}
}
