package providertest

import (
	"bytes"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// flatLimit is by how much a plugin's memory may grow while output passes
// through it: buffers, and what the garbage collector leaves lying.
const flatLimit = 64 << 20

// watchMemory samples the memory of a plugin process until the returned
// function is called, which checks that it stayed flat.
func (b *bed) watchMemory(p *Plugin) (stop func()) {
	before := p.memory()
	if before == 0 {
		return func() {}
	}
	done, over := make(chan struct{}), make(chan int64)
	go func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		peak := before
		for {
			select {
			case <-tick.C:
				peak = max(peak, p.memory())
			case <-done:
				over <- max(peak, p.memory())
				return
			}
		}
	}()
	return func() {
		b.Helper()
		close(done)
		peak := <-over
		b.Logf("plugin process: %d MiB before, %d MiB at most", before>>20, peak>>20)
		if peak-before > flatLimit {
			b.Errorf("the plugin's memory grew from %d to %d MiB", before>>20, peak>>20)
		}
	}
}

// counting checks a stream that would be too long to keep.
type counting struct {
	n     int64
	wrong bool
	check func(p []byte, at int64) bool
}

func (c *counting) Write(p []byte) (int, error) {
	c.wrong = c.wrong || len(p) > 0 && !c.check(p, c.n)
	c.n += int64(len(p))
	return len(p), nil
}

func longLine(b *bed) {
	const size = 32 << 20
	stop := b.watchMemory(b.suite.plugins[0])
	defer stop()
	var last byte
	out := &counting{check: func(p []byte, at int64) bool {
		last = p[len(p)-1]
		xs := bytes.Count(p, []byte("x"))
		return xs == len(p) || at+int64(len(p)) == size+1 && xs == len(p)-1
	}}
	b.run(sandbox.Command{Script: `head -c 33554432 /dev/zero | tr '\0' x; echo`, Stdout: out})
	if out.n != size+1 || out.wrong || last != '\n' {
		b.Errorf("%d bytes, want %d; other bytes: %v", out.n, size+1, out.wrong)
	}
}

func millionLines(b *bed) {
	const count = 1_000_000
	stop := b.watchMemory(b.suite.plugins[0])
	defer stop()
	next, filler := 1, " "+strings.Repeat("x", 100) // so that keeping them all would show
	out := &counting{check: wholeLines(func(line []byte) bool {
		next++
		return string(line) == strconv.Itoa(next-1)+filler
	})}
	r := b.run(sandbox.Command{Argv: shell(`seq 1000000 | sed "s/$/$1/"; echo done >&2`, filler), Stdout: out})
	if next != count+1 || out.wrong || string(r.stderr) != "done\n" {
		b.Errorf("%d lines in order, want %d; others: %v; stderr %q", next-1, count, out.wrong, r.stderr)
	}
}

// wholeLines hands on line by line.
func wholeLines(check func(line []byte) bool) func(p []byte, at int64) bool {
	var part []byte
	return func(p []byte, _ int64) bool {
		ok := true
		for {
			line, more, found := bytes.Cut(p, []byte("\n"))
			part = append(part, line...)
			if !found {
				return ok
			}
			ok = check(part) && ok
			part, p = part[:0], more
		}
	}
}

// held is a writer that blocks until it is let go.
type held struct {
	open chan struct{}
	n    atomic.Int64
}

func (h *held) Write(p []byte) (int, error) {
	h.n.Add(int64(len(p)))
	<-h.open
	return len(p), nil
}

func slowReader(b *bed) {
	const blocks, size = 64, 256 << 10
	stop := b.watchMemory(b.suite.plugins[0])
	defer stop()
	w := &held{open: make(chan struct{})}
	p := b.start(b.sb, sandbox.Command{ID: "fast", Stdout: w, Script: `
		i=0
		while [ $i -lt 64 ]; do
			head -c 262144 /dev/zero
			i=$((i+1))
			echo $i >progress
		done`})
	release := func() {
		select {
		case <-w.open:
		default:
			close(w.open)
		}
	}
	defer release() // before the process is closed
	b.eventually("the first bytes", func() bool { return w.n.Load() > 0 })
	last, since := -1, time.Now()
	b.eventually("the process stands still", func() bool {
		n, _ := strconv.Atoi(strings.TrimSpace(b.sh("cat progress 2>/dev/null || echo 0")))
		if n != last {
			last, since = n, time.Now()
		}
		return time.Since(since) > 500*time.Millisecond
	})
	if last >= blocks/2 {
		b.Errorf("the process wrote %d KiB that nobody has read", last*size>>10)
	}
	release()
	if exit := b.wait(p); !exit.Ok() {
		b.Errorf("exit %+v", exit)
	}
	if got := w.n.Load(); got != blocks*size {
		b.Errorf("%d bytes in the end, want %d", got, blocks*size)
	}
}
