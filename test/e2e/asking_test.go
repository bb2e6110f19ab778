//go:build linux

package e2e

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// TestCtrlDAtAQuestionLeavesItToOthers ends the terminal's input at a question:
// the request goes on waiting, and so does the run.
func TestCtrlDAtAQuestionLeavesItToOthers(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	term := s.terminal("run", "--run-id", "r", "ask run git init -q first\nask run git init -q second\nsay over")
	term.await("allow git init -q first?")
	term.typed("\x04")
	term.await("nothing more is read here")
	term.await("sandlot approve r ")
	s.run("approve", "r").want(t, 0)
	term.await("git init -q second")
	until(t, 20*time.Second, "the second is told with its line, and not asked", func() bool {
		return strings.Count(term.screen(), "sandlot approve r ") == 2
	})
	s.run("deny", "r").want(t, 0)
	if code := term.ends(); code != 0 || strings.Contains(term.screen(), "allow git init -q second?") {
		t.Errorf("exit code %d\n%s", code, term.screen())
	}
}

// TestTheFirstOfTwoAnswersCountsAndTheSecondIsTold answers at a terminal what was
// answered elsewhere while the driver stood still, so that the question was still
// on the screen.
func TestTheFirstOfTwoAnswersCountsAndTheSecondIsTold(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	file := word()
	term := s.terminal("run", "--run-id", "r", "ask run git init -q "+file+"\nsay over")
	term.await("[y/n, ")
	resume := s.pauseDriver("r")
	s.run("deny", "r").want(t, 0)
	term.typed("y\n")
	term.await("comes too late")
	resume()
	term.await("denied by")
	if code := term.ends(); code != 0 {
		t.Errorf("exit code %d\n%s", code, term.screen())
	}
	if _, err := os.Stat(s.root() + "/" + file); !os.IsNotExist(err) {
		t.Errorf("the command ran: %v", err)
	}
}

// pauseDriver stops the run's driver until what it returns is called.
func (s *stage) pauseDriver(run string) (resume func()) {
	s.t.Helper()
	drivers := s.named("drive " + run)
	if len(drivers) != 1 {
		s.t.Fatalf("run %s has %d drivers", run, len(drivers))
	}
	send := func(sig syscall.Signal) {
		if err := syscall.Kill(drivers[0].pid, sig); err != nil {
			s.t.Fatal(err)
		}
	}
	send(syscall.SIGSTOP)
	return func() { send(syscall.SIGCONT) }
}

// TestALogThatIsReadAgainAsksNothingThatWasAnswered attaches a terminal to a run
// of whose two requests the first was answered before.
func TestALogThatIsReadAgainAsksNothingThatWasAnswered(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	s.run("run", "--detach", "--run-id", "r", "ask run git init -q first\nask run git init -q second\nsay over").want(t, 0)
	until(t, 20*time.Second, "the first waits", func() bool { return strings.Contains(s.run("runs").stdout, "git init -q first") })
	s.run("approve", "r").want(t, 0)
	term := s.terminal("attach", "r")
	term.await("allow git init -q second?")
	term.typed("y\n")
	if code := term.ends(); code != 0 || strings.Contains(term.screen(), "allow git init -q first?") {
		t.Errorf("exit code %d\n%s", code, term.screen())
	}
}

// TestWhatIsAskedForCanNotPassForAQuestionOfOurs asks for a command that a narrow
// terminal would wrap so that a part of it looks like another question, and that
// would clear the screen.
func TestWhatIsAskedForCanNotPassForAQuestionOfOurs(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	const fake = "allow date? [y/n] y"
	term := s.terminal("run", "--run-id", "r", "ask run git \x1b[2J\u202e"+strings.Repeat(" ", 80-len("  │ git")+2)+fake+"\nsay over")
	term.await("[y/n, yr")
	quoted := 0
	for line := range strings.Lines(strings.ReplaceAll(term.screen(), "\r\n", "\n")) {
		if strings.HasPrefix(line, "  │ ") {
			quoted++
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("%d characters in a line of the terminal: %q", n, line)
			}
		}
	}
	if shown := term.screen(); quoted < 2 || strings.Contains(shown, "\x1b[2J") || strings.Contains(shown, "\u202e") || strings.Contains(shown, "\n"+fake) {
		t.Errorf("the terminal shows %q", shown)
	}
	term.typed("n\n")
	if code := term.ends(); code != 0 {
		t.Errorf("exit code %d\n%s", code, term.screen())
	}
}

// TestWhatWasTypedBeforeAQuestionAnswersNothing types an answer while the agent is
// at work, before it asks.
func TestWhatWasTypedBeforeAQuestionAnswersNothing(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	term := s.terminal("run", "say started\nrun until [ -e asked ]; do :; done\nask run git init -q made\nsay over")
	term.await("started")
	term.typed("y\ny") // a whole line, and one that isn't at its end
	term.await("y\r\ny")
	if err := os.WriteFile(s.root()+"/asked", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	term.await("allow git init -q made?")
	term.typed("n\n")
	term.await("denied by")
	term.await("over")
	if code := term.ends(); code != 0 {
		t.Errorf("exit code %d\n%s", code, term.screen())
	}
	if _, err := os.Stat(s.root() + "/made"); !os.IsNotExist(err) {
		t.Errorf("the command ran by an answer that was typed before: %v\n%s", err, term.screen())
	}
}
