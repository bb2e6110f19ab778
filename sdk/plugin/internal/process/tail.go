package process

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"unicode"
)

// Tail keeps what is worth telling of a stderr: its last bytes and, since a
// stack trace is longer than those, the head of a panic.
type Tail struct {
	mu    sync.Mutex
	last  []byte
	crash []byte
}

const (
	maxTail  = 4 << 10
	maxCrash = 16 << 10
)

func (t *Tail) add(line []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(append(t.last, line...), '\n')
	if over := len(t.last) - maxTail; over > 0 {
		t.last = append(t.last[:0], t.last[over:]...)
	}
	if len(t.crash) > 0 || Begins(line) {
		line = line[:min(len(line), max(0, maxCrash-len(t.crash)))]
		t.crash = append(append(t.crash, line...), '\n')
	}
}

// Begins reports whether a line is the first that Go's runtime writes of a crash.
func Begins(line []byte) bool {
	for _, head := range []string{"panic: ", "fatal error: ", "SIGSEGV: ", "SIGBUS: ", "SIGFPE: ", "SIGILL: ", "SIGABRT: ", "SIGQUIT: "} {
		if bytes.HasPrefix(line, []byte(head)) {
			return true
		}
	}
	return false
}

// Last is the last bytes.
func (t *Tail) Last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.last), "")
}

// Panic is the head of a panic or of a fatal error of Go's runtime; empty: there
// was none.
func (t *Tail) Panic() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.crash), "")
}

// Line is one line that says most: the first of a panic, else the last of all.
// Of a log line it is the message.
func (t *Tail) Line() string {
	if first, _, _ := strings.Cut(t.Panic(), "\n"); first != "" {
		return first
	}
	line := ""
	for l := range strings.Lines(t.Last()) {
		if strings.ContainsFunc(strings.TrimSuffix(strings.TrimSpace(l), cutMark), unicode.IsGraphic) {
			line = strings.TrimSpace(l)
		}
	}
	var entry struct {
		Message string `json:"@message"`
		Error   string `json:"error"`
	}
	if json.Unmarshal([]byte(line), &entry) != nil || entry.Message == "" {
		return line
	}
	if entry.Error != "" {
		return entry.Message + ": " + entry.Error
	}
	return entry.Message
}
