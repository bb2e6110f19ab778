package processes

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Memory tells whether a process that was killed was so for want of memory, where
// the whole machine as this program sees it is one control group with a limit, as
// a container is. The kernel tells how many it has killed there, and not which: a
// kill counts as one of those only if their number has risen a moment ago, and each
// of them explains one end.
type Memory struct {
	count func() (killed int, ok bool)
	limit func() int64 // bytes; 0: none

	mu   sync.Mutex
	seen int // so many explain nothing any more
	last int // so many there were at the last look
	used int // processes that use it
	stop chan struct{}
}

// memoryWindow is how long before the end of a process, at most twice, the
// kernel's kill can have been: the end is known milliseconds after it.
const memoryWindow = time.Second

// NewMemory watches the control group in folder, which is /sys/fs/cgroup in a
// container; nil where it tells of no kills. A nil Memory explains nothing.
func NewMemory(folder string) *Memory {
	for _, v := range []struct{ events, limit string }{
		{"memory.events", "memory.max"}, // of version 2
		{"memory/memory.oom_control", "memory/memory.limit_in_bytes"},
	} {
		events, limit := filepath.Join(folder, v.events), filepath.Join(folder, v.limit)
		m := &Memory{count: func() (int, bool) { return killsIn(events) }, limit: func() int64 { return limitIn(limit) }}
		if _, ok := m.count(); ok {
			return m
		}
	}
	return nil
}

// killsIn reads "oom_kill N", which Linux 4.13 has made of both versions.
func killsIn(events string) (n int, ok bool) {
	data, err := os.ReadFile(events)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(data)) {
		if text, found := strings.CutPrefix(line, "oom_kill "); found {
			n, err := strconv.Atoi(strings.TrimSpace(text))
			return n, err == nil
		}
	}
	return 0, false
}

// limitIn reads a limit; none is "max" or, in version 1, more than there can be.
func limitIn(file string) int64 {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	if err != nil || n > 1<<50 {
		return 0
	}
	return n
}

// begin is called before a process is started, and end after its end is explained:
// in between, kills that are no longer fresh are forgotten.
func (m *Memory) begin() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.used++; m.used == 1 {
		m.last, _ = m.count()
		m.seen = m.last
		m.stop = make(chan struct{})
		go m.forget(m.stop)
	}
}

func (m *Memory) end() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.used--; m.used == 0 {
		close(m.stop)
	}
}

func (m *Memory) forget(stop chan struct{}) {
	tick := time.NewTicker(memoryWindow)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			m.look()
		}
	}
}

// look forgets what was there at the look before.
func (m *Memory) look() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = max(m.seen, m.last)
	m.last, _ = m.count()
}

// explains says why a process was killed a moment ago; empty: not for want of
// memory.
func (m *Memory) explains() string {
	if m == nil {
		return ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if n, ok := m.count(); !ok || n <= m.seen {
		return ""
	}
	m.seen++
	if limit := m.limit(); limit > 0 {
		return fmt.Sprintf("the kernel killed it for want of memory: the limit is %d MiB", limit>>20)
	}
	return "the kernel killed it for want of memory"
}

// offer makes the kernel take a process and what it starts before this program,
// whose end would be the end of all of them.
func offer(pid int) {
	const first = 500 // of 1000: as if it used half of the memory besides its own
	_ = os.WriteFile("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", []byte(strconv.Itoa(first)), 0)
}
