package plugin_test

import (
	"bytes"
	"sync"
	"testing"
	"time"
)

// await polls a cause until it holds, 10 s at most.
func await(t *testing.T, holds func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("waited 10 s in vain")
		}
	}
}

// settled waits until a number has stood still for a while and returns it.
func settled(t *testing.T, number func() int64) int64 {
	t.Helper()
	last, still := int64(-1), 0
	await(t, func() bool {
		if n := number(); n != last {
			last, still = n, 0
		}
		still++
		return still > 80
	})
	return last
}

// watched is an output that a test can wait on.
type watched struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func newWatched() *watched { return &watched{} }

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.Write(p)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

func (w *watched) await(t *testing.T, text string) {
	t.Helper()
	await(t, func() bool { return bytes.Contains([]byte(w.String()), []byte(text)) })
}
