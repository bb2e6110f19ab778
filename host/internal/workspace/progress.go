package workspace

import (
	"context"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// String is an amount for a person, such as "12 files, 3.4 MB".
func (a *amount) String() string {
	noun := "files"
	if a.files.Load() == 1 {
		noun = "file"
	}
	return fmt.Sprintf("%d %s, %s", a.files.Load(), noun, size(a.bytes.Load()))
}

func size(n int64) string {
	units := []string{"kB", "MB", "GB", "TB"}
	if n < 1000 {
		return fmt.Sprintf("%d bytes", n)
	}
	f, unit := float64(n)/1000, 0
	for f >= 1000 && unit < len(units)-1 {
		f, unit = f/1000, unit+1
	}
	return fmt.Sprintf("%.1f %s", f, units[unit])
}

// watched tells how far a copy is, and ends ctx when it stands still.
func watched(ctx context.Context, done, total *amount, tell func(Phase)) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		began, moved := time.Now(), time.Now()
		tick := time.NewTicker(tellEvery)
		defer tick.Stop()
		var files, bytes int64
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			f, b := done.files.Load(), done.bytes.Load()
			if f == files && b == bytes {
				if still := time.Since(moved); still >= stall {
					cancel(sandbox.Errorf(sandbox.TimedOut, "nothing has moved for %s, after %s", stall, done))
					return
				}
				continue
			}
			files, bytes, moved = f, b, time.Now()
			tell(Phase{
				Name: "source", State: "progress", Took: time.Since(began),
				Detail: fmt.Sprintf("%d of %d files, %s of %s", f, total.files.Load(), size(b), size(total.bytes.Load())),
			})
		}
	}()
	return ctx, func() { cancel(nil); <-stopped }
}
