//go:build linux

package script

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// terminal runs a command whose stdin, stdout and stderr are one terminal, and
// which must end with that code: terminal [-code N] [-size COLSxROWS] [-dialogue
// FILE] PROGRAM [ARG...]. All that came over the terminal is then stdout.
//
// Lines of the dialogue, in order: "< PATTERN" waits until new output matches;
// "> TEXT" types the text, with \r, \n, \x03 and the like as in Go; "size
// COLSxROWS" makes the window that large.
func terminal(ts *testscript.TestScript, neg bool, args []string) {
	flags := flag.NewFlagSet("terminal", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	code := flags.Int("code", 0, "")
	size := flags.String("size", "80x24", "")
	dialogue := flags.String("dialogue", "", "")
	if err := flags.Parse(args); neg || err != nil || flags.NArg() == 0 {
		ts.Fatalf("usage: terminal [-code N] [-size COLSxROWS] [-dialogue FILE] PROGRAM [ARG...]")
	}
	var steps []string
	if *dialogue != "" {
		steps = strings.Split(strings.TrimSpace(ts.ReadFile(*dialogue)), "\n")
	}
	cmd := exec.Command(onPath(ts, flags.Arg(0)), flags.Args()[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = environment(ts)
	window, err := windowOf(*size)
	ts.Check(err)
	screen, err := pty.StartWithSize(cmd, window)
	ts.Check(err)
	s := &shown{}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(s, screen) // ends with EIO, when nobody has the terminal open any more
	}()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	failed := s.hold(screen, steps)
	select {
	case err = <-ended:
	case <-time.After(limit):
		failed = errors.Join(failed, fmt.Errorf("not ended within %s", limit))
	}
	if failed != nil {
		_ = cmd.Process.Kill()
	}
	select {
	case <-read:
	case <-time.After(limit): // what it left running holds the terminal; the case's end names it
	}
	_ = screen.Close()
	_, _ = io.WriteString(ts.Stdout(), s.all())
	if failed != nil {
		ts.Fatalf("%v", failed)
	}
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		ts.Fatalf("run: %v", err)
	}
	if got := cmd.ProcessState.ExitCode(); got != *code {
		ts.Fatalf("ended with %s, want exit status %d", cmd.ProcessState, *code)
	}
}

// shown is what came over a terminal.
type shown struct {
	mu   sync.Mutex
	text strings.Builder
	seen int // how much of it earlier steps of the dialogue matched
}

func (s *shown) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shown) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// hold holds the dialogue.
func (s *shown) hold(screen *os.File, steps []string) error {
	for _, step := range steps {
		verb, rest, _ := strings.Cut(step, " ")
		switch verb {
		case "<":
			pattern, err := regexp.Compile("(?m)" + rest)
			if err != nil {
				return err
			}
			deadline := time.Now().Add(limit)
			for !s.matches(pattern) {
				if time.Now().After(deadline) {
					return fmt.Errorf("nothing matched %q within %s", rest, limit)
				}
				<-time.After(10 * time.Millisecond)
			}
		case ">":
			for _, r := range []struct{ from, to string }{{`\r`, "\r"}, {`\n`, "\n"}, {`\x03`, "\x03"}, {`\x04`, "\x04"}, {`\x1a`, "\x1a"}, {`\x1c`, "\x1c"}} {
				rest = strings.ReplaceAll(rest, r.from, r.to)
			}
			if _, err := io.WriteString(screen, rest); err != nil {
				return err
			}
		case "size":
			window, err := windowOf(rest)
			if err != nil {
				return err
			}
			if err := pty.Setsize(screen, window); err != nil {
				return err
			}
		default:
			return fmt.Errorf("a line of a dialogue begins with <, > or size: %q", step)
		}
	}
	return nil
}

func (s *shown) matches(pattern *regexp.Regexp) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := pattern.FindStringIndex(s.text.String()[s.seen:])
	if at == nil {
		return false
	}
	s.seen += at[1]
	return true
}

func windowOf(size string) (*pty.Winsize, error) {
	var w pty.Winsize
	if _, err := fmt.Sscanf(size, "%dx%d", &w.Cols, &w.Rows); err != nil {
		return nil, fmt.Errorf("a size is COLSxROWS, not %q", size)
	}
	return &w, nil
}

// onPath finds a program as the case's shell would.
func onPath(ts *testscript.TestScript, name string) string {
	if strings.Contains(name, "/") {
		return ts.MkAbs(name)
	}
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return filepath.Join(dir, name)
		}
	}
	ts.Fatalf("no program %q on PATH", name)
	return ""
}

// environment is what programs that the case starts get: testscript gives it to
// nobody else.
func environment(ts *testscript.TestScript) []string {
	ts.Check(ts.Exec("/usr/bin/env", "-0"))
	return append(strings.Split(strings.TrimSuffix(ts.ReadFile("stdout"), "\x00"), "\x00"), "TERM=xterm")
}
