package cli

import (
	"fmt"
	"time"
)

const (
	drawAfter = time.Second // a copy that is over by then needs no progress
	drawEvery = 200 * time.Millisecond
)

// progress draws on a terminal how far the copy is, until stop is called.
func (c *copying) progress() (stop func()) {
	if !isTerminal(c.world.Stderr) || c.flags.json || c.from.Stream || c.to.Stream {
		return func() {}
	}
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		wait := time.NewTimer(drawAfter)
		defer wait.Stop()
		drawn := false
		for {
			select {
			case <-done:
				if drawn {
					fmt.Fprint(c.world.Stderr, "\r\x1b[K")
				}
				return
			case <-wait.C:
				drawn = true
				fmt.Fprintf(c.world.Stderr, "\r\x1b[Kcopying: %s", c.amount())
				wait.Reset(drawEvery)
			}
		}
	}()
	return func() { close(done); <-stopped }
}

// sizeOf is an amount of bytes as a person reads it.
func sizeOf(n int64) string {
	const step = 1024
	if n < step {
		return fmt.Sprintf("%d B", n)
	}
	size, units := float64(n), []string{"KiB", "MiB", "GiB", "TiB"}
	unit := ""
	for _, unit = range units {
		if size /= step; size < step {
			break
		}
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}
