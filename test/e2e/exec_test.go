//go:build linux

package e2e

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// tenacious is a command that hangs on: it and what it starts ignore what they can,
// in sessions of their own, and it prints "ready".
var tenacious = []string{"sh", "-c", "PATH=/usr/bin:/bin; trap '' HUP INT PIPE TERM; setsid sleep 4246 & echo ready; while :; do sleep 0.05; done"}

func TestNothingOfACommandOutlivesWhoRanIt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		end  func(s *stage, verb *started)
		code int // -1: a signal ended it
		says string
	}{
		{"its terminal closes", func(_ *stage, verb *started) { verb.signal(syscall.SIGHUP) }, 129, ""},
		{"it is told to end", func(_ *stage, verb *started) { verb.signal(syscall.SIGTERM) }, 143, ""},
		{"it is killed", func(_ *stage, verb *started) { verb.signal(syscall.SIGKILL) }, -1, ""},
		{"the provider is killed", func(s *stage, _ *started) {
			for _, p := range s.named("sandlot-provider-localprocess") {
				kill(s.t, p.pid)
			}
		}, 125, "what was left of it was ended"},
		{"both are killed at once", func(s *stage, verb *started) {
			for _, p := range s.named("sandlot-provider-localprocess") {
				if err := syscall.Kill(p.pid, syscall.SIGSTOP); err != nil {
					s.t.Fatal(err)
				}
				verb.signal(syscall.SIGKILL)
				kill(s.t, p.pid)
			}
		}, -1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newDemo(t)
			id := strings.TrimSpace(s.run("up").want(t, 0).stdout)
			verb := s.start(append([]string{"exec", id, "--"}, tenacious...)...)
			verb.await("ready")
			until(t, 10*time.Second, "all of it runs", func() bool { return len(s.named("sleep 4246")) > 0 })
			tt.end(s, verb)
			r := verb.ends()
			if r.code != tt.code || !strings.Contains(r.stderr, tt.says) {
				t.Errorf("exit code %d, want %d and %q\n%s", r.code, tt.code, tt.says, r.stderr)
			}
			if tt.name == "both are killed at once" { // nobody is left who could end it: the next one does
				s.run("destroy", id).want(t, 0)
			}
			until(t, 10*time.Second, "nothing of the command is left", func() bool { return len(s.tree()) == 0 })
		})
	}
}

// A terminal that is closed, not a signal that somebody sends.
func TestACommandEndsWithTheTerminalThatItIsOn(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	id := strings.TrimSpace(s.run("up").want(t, 0).stdout)
	cmd := s.command(t.Context(), append([]string{"exec", "-it", id, "--"}, tenacious...)...)
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	var shown strings.Builder
	buf := make([]byte, 1024)
	for !strings.Contains(shown.String(), "ready") {
		n, err := terminal.Read(buf)
		if err != nil {
			t.Fatalf("the terminal ended: %v\n%s", err, shown.String())
		}
		shown.Write(buf[:n])
	}
	if err := terminal.Close(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its code is looked at next
	if code := cmd.ProcessState.ExitCode(); code != 129 {
		t.Errorf("exit code %d, want 129", code)
	}
	until(t, 10*time.Second, "nothing of the command is left", func() bool { return len(s.tree()) == 0 })
}

// Output that nobody takes holds up the command, and memory stays as it is.
func TestMuchOutputTakesNoMemory(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	id := strings.TrimSpace(s.run("up").want(t, 0).stdout)
	cmd := s.command(t.Context(), "exec", id, "--", "/usr/bin/head", "-c", "200000000", "/dev/zero")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// Before the rest is read it can't end, so it can be asked. Its peak isn't in
	// what a wait returns: there it is that of this process, if that is greater.
	if _, err := io.CopyN(io.Discard, out, 190_000_000); err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	var rss int
	if _, err := fmt.Sscan(peak, &rss); err != nil {
		t.Fatalf("no peak in %q: %v", status, err)
	}
	const most = 150 << 10 // KiB; the race detector takes its part
	if rss > most {
		t.Errorf("it took %d KiB of memory", rss)
	}
}
