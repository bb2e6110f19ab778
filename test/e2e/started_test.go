//go:build linux

package e2e

import (
	"bytes"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// started is a sandlot command that runs beside the test.
type started struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout locked
	stderr locked
	done   chan struct{}
}

// locked is a buffer that may be read while a process writes it.
type locked struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func (s *stage) start(args ...string) *started {
	s.t.Helper()
	r := &started{t: s.t, cmd: s.command(s.t.Context(), args...), done: make(chan struct{})}
	r.cmd.Stdout, r.cmd.Stderr = &r.stdout, &r.stderr
	if err := r.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		defer close(r.done)
		_ = r.cmd.Wait() // its code is looked at in ends
	}()
	return r
}

// await waits until the command has printed the text.
func (r *started) await(text string) {
	r.t.Helper()
	until(r.t, 20*time.Second, "the command prints "+text, func() bool {
		select {
		case <-r.done:
			if !strings.Contains(r.stdout.String(), text) {
				r.t.Fatalf("the command ended before it printed %q\nstdout: %s\nstderr: %s", text, clip(r.stdout.String()), clip(r.stderr.String()))
			}
		default:
		}
		return strings.Contains(r.stdout.String(), text)
	})
}

// ends waits for the command's end.
func (r *started) ends() ran {
	r.t.Helper()
	select {
	case <-r.done:
	case <-time.After(60 * time.Second):
		r.t.Fatalf("the command doesn't end\nstdout: %s\nstderr: %s", clip(r.stdout.String()), clip(r.stderr.String()))
	}
	return ran{r.stdout.String(), r.stderr.String(), r.cmd.ProcessState.ExitCode()}
}

// signal sends the command a signal.
func (r *started) signal(sig syscall.Signal) {
	r.t.Helper()
	if err := r.cmd.Process.Signal(sig); err != nil {
		r.t.Fatal(err)
	}
}
