//go:build linux

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// stores are the event log: appending to it beside the same bytes written to a
// file and synced, and how soon after that a reader of another connection, as
// another process has one, gets an event.
func (b *bench) stores(ctx context.Context) ([]row, error) {
	path := filepath.Join(b.dir, "bench.db")
	st, err := store.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	epoch, err := claimed(ctx, st, "append")
	if err != nil {
		return nil, err
	}
	batch, raw := events(64), make([]byte, 64<<10)
	file, err := os.Create(filepath.Join(b.dir, "raw-log"))
	if err != nil {
		return nil, err
	}
	latency, err := b.tail(ctx, st, path)
	if err != nil {
		return nil, err
	}
	return []row{
		{
			name: "store: append of 64 events of 1 KB", unit: "ms", goal: goal{of: "ours", most: 3},
			raw: b.often(timed(func(context.Context) error {
				if _, err := file.Write(raw); err != nil {
					return err
				}
				return file.Sync()
			})),
			ours: b.often(timed(func(ctx context.Context) error {
				_, err := st.Append(ctx, "append", epoch, batch)
				return err
			})),
		},
		latency,
	}, nil
}

// often takes ten samples for one, so that there are enough for a 99th percentile.
func (b *bench) often(one side) side {
	return func(ctx context.Context) (all []float64, err error) {
		for range b.size(10) {
			samples, err := one(ctx)
			if err != nil {
				return nil, err
			}
			all = append(all, samples...)
		}
		return all, nil
	}
}

func claimed(ctx context.Context, st *store.Store, id string) (epoch int64, err error) {
	if _, err := st.CreateRun(ctx, store.NewRun{ID: id, Project: "bench"}); err != nil {
		return 0, err
	}
	return st.Claim(ctx, id, store.Driver{BootID: "bench", PID: os.Getpid(), StartTime: "1"}, time.Hour, nil)
}

func events(n int) []store.Event {
	all := make([]store.Event, n)
	for i := range all {
		all[i] = store.Event{Source: store.Agent, Hash: make([]byte, 32), Payload: bytes.Repeat([]byte("x"), 1<<10)}
	}
	return all
}

// tail takes one event at a time, 7 ms apart: no multiple of a reader's polls.
func (b *bench) tail(ctx context.Context, st *store.Store, path string) (row, error) {
	epoch, err := claimed(ctx, st, "tail")
	if err != nil {
		return row{}, err
	}
	reader, err := store.Open(ctx, path)
	if err != nil {
		return row{}, err
	}
	seen := make(chan time.Time, 1)
	go func() {
		for _, err := range reader.Tail(ctx, "tail", 0, 0) {
			if err != nil {
				return // the benchmark is over
			}
			seen <- time.Now()
		}
	}()
	pace := time.NewTicker(7 * time.Millisecond)
	return row{
		name: "store: an event's way to another reader", unit: "ms",
		ours: b.often(func(ctx context.Context) ([]float64, error) {
			<-pace.C
			if _, err := st.Append(ctx, "tail", epoch, events(1)); err != nil {
				return nil, err
			}
			written := time.Now()
			select {
			case at := <-seen:
				return []float64{max(0, float64(at.Sub(written))/float64(time.Millisecond))}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}),
	}, nil
}
