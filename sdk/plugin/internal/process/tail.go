package process

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
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
	begins := bytes.HasPrefix(line, []byte("panic: ")) || bytes.HasPrefix(line, []byte("fatal error: "))
	if begins || len(t.crash) > 0 {
		line = line[:min(len(line), max(0, maxCrash-len(t.crash)))]
		t.crash = append(append(t.crash, line...), '\n')
	}
}

// Text is the head of a panic if there was one, else the last bytes.
func (t *Tail) Text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.crash) > 0 {
		return strings.ToValidUTF8(string(t.crash), "")
	}
	return strings.ToValidUTF8(string(t.last), "")
}

// Line is one line that says most: the first of a panic, else the last of all.
// Of a log line it is the message.
func (t *Tail) Line() string {
	lines := strings.Split(strings.TrimSpace(t.Text()), "\n")
	line := lines[len(lines)-1]
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.crash) > 0 {
		line = lines[0]
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
