package main

import (
	"sync"
	"time"
	"unicode/utf8"
)

const (
	tailLimit = 64 << 10              // bytes of output kept and shown
	tailEvery = 50 * time.Millisecond // between two updates, as each repeats the whole
)

// tail is a writer that keeps the last part of what a command prints and shows
// it while it grows. The protocol has no "append": each update is the whole.
type tail struct {
	show func(string)
	done chan struct{}
	idle chan struct{}

	mu      sync.Mutex
	kept    []byte
	dropped bool
	changed bool
}

func newTail(show func(string)) *tail {
	t := &tail{show: show, done: make(chan struct{}), idle: make(chan struct{})}
	go t.loop()
	return t
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	t.changed = true
	if over := len(t.kept) - tailLimit; over > 0 {
		for over < len(t.kept) && !utf8.RuneStart(t.kept[over]) {
			over++
		}
		t.kept = append(t.kept[:0:0], t.kept[over:]...)
		t.dropped = true
	}
	return len(p), nil
}

func (t *tail) loop() {
	defer close(t.idle)
	ticks := time.NewTicker(tailEvery)
	defer ticks.Stop()
	for {
		select {
		case <-t.done:
			return
		case <-ticks.C:
			if s, ok := t.news(); ok {
				t.show(s)
			}
		}
	}
}

// news returns the text so far, if it grew, without a character still incomplete.
func (t *tail) news() (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.changed {
		return "", false
	}
	t.changed = false
	return string(t.kept[:whole(t.kept)]), true
}

// whole is the length of p without a character cut off at its end.
func whole(p []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(p); back++ {
		if b := p[len(p)-back]; utf8.RuneStart(b) {
			if !utf8.FullRune(p[len(p)-back:]) {
				return len(p) - back
			}
			break
		}
	}
	return len(p)
}

// close stops showing; what was not shown is in text.
func (t *tail) close() {
	close(t.done)
	<-t.idle
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

func (t *tail) truncated() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dropped
}
