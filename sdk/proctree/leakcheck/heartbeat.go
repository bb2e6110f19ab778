package leakcheck

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"
)

// Sizes reads the heartbeats: file name and size in bytes. A file that isn't
// there is left out.
type Sizes func(ctx context.Context) (map[string]int64, error)

// Dir reads heartbeats from a folder of this machine.
func Dir(path string) Sizes {
	return func(context.Context) (map[string]int64, error) {
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, fmt.Errorf("read heartbeats: %w", err)
		}
		sizes := map[string]int64{}
		for _, e := range entries {
			info, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("read heartbeats: %w", err)
			}
			sizes[e.Name()] = info.Size()
		}
		return sizes, nil
	}
}

// Await returns once each named heartbeat has grown twice since the call, so
// that each process is known to run. If ctx ends first, the error names those
// that didn't.
func Await(ctx context.Context, sizes Sizes, names ...string) error {
	first := map[string]int64{}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	missing := names
	for {
		now, err := sizes(ctx)
		if err != nil {
			return err
		}
		missing = slices.DeleteFunc(slices.Clone(missing), func(name string) bool {
			size, ok := now[name]
			if _, seen := first[name]; ok && !seen {
				first[name] = size
			}
			return ok && size >= first[name]+2
		})
		if len(missing) == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("await heartbeats: no beat of %q: %w", missing, ctx.Err())
		}
	}
}

// Leaks watches for the length of window (200 ms are 20 heartbeats) and returns
// the names of those that grew: the processes behind them live.
func Leaks(ctx context.Context, sizes Sizes, window time.Duration) ([]string, error) {
	before, err := sizes(ctx)
	if err != nil {
		return nil, err
	}
	t := time.NewTimer(window)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
		return nil, fmt.Errorf("watch heartbeats: %w", ctx.Err())
	}
	after, err := sizes(ctx)
	if err != nil {
		return nil, err
	}
	var live []string
	for name, size := range after {
		if size != before[name] {
			live = append(live, name)
		}
	}
	slices.Sort(live)
	return live, nil
}
