package gitsource

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

const (
	maxSaid = 4 << 10 // bytes kept of what git says
	maxLine = 1 << 10 // bytes of one line
)

// progressForm is a line by which git, or the server through it, tells how far
// it is.
var progressForm = regexp.MustCompile(`^(?:remote: )?([A-Z][a-z]+(?: [a-z]+)*): +([0-9]+)% `)

// emptyTalk begins lines that tell nothing.
var emptyTalk = []string{
	"remote: Enumerating", "remote: Total", "Please make sure you have the correct", "and the repository exists", "fatal: Could not read from remote",
}

// listener takes apart what git writes to stderr: progress, which is told, and
// the rest, of which the last lines are kept.
type listener struct {
	tell  func(detail string)
	moved func()

	mu   sync.Mutex
	line []byte
	last []string
	size int
	told string
}

// Write implements io.Writer.
func (l *listener) Write(p []byte) (int, error) {
	l.moved()
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; len(rest) > 0; {
		i := bytes.IndexAny(rest, "\r\n")
		if i < 0 {
			l.line = append(l.line, rest[:min(len(rest), max(maxLine-len(l.line), 0))]...)
			break
		}
		l.line = append(l.line, rest[:min(i, max(maxLine-len(l.line), 0))]...)
		l.take(string(l.line))
		l.line, rest = l.line[:0], rest[i+1:]
	}
	return len(p), nil
}

func (l *listener) take(line string) {
	if m := progressForm.FindStringSubmatch(line); m != nil {
		if now := strings.ToLower(m[1][:1]) + m[1][1:] + " " + m[2] + " %"; l.tell != nil && now != l.told {
			l.told = now
			l.tell(now)
		}
		return
	}
	line = strings.TrimSpace(printable(line))
	for _, start := range emptyTalk {
		if line == "" || strings.HasPrefix(line, start) {
			return
		}
	}
	l.last, l.size = append(l.last, line), l.size+len(line)
	for l.size > maxSaid && len(l.last) > 1 {
		l.size -= len(l.last[0])
		l.last = l.last[1:]
	}
}

// said are the last lines.
func (l *listener) said() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.line) > 0 {
		l.take(string(l.line))
		l.line = nil
	}
	return strings.Join(l.last, "; ")
}

// printable leaves out what a server could steer a terminal with.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u202e' || r == 0xfffd {
			return -1
		}
		return r
	}, s)
}
