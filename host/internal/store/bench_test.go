package store

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

func bench(b *testing.B) *Store {
	s, err := Open(b.Context(), filepath.Join(b.TempDir(), "store.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

func benchRun(b *testing.B, s *Store, id string) int64 {
	if _, err := s.CreateRun(b.Context(), NewRun{ID: id, Project: "p"}); err != nil {
		b.Fatal(err)
	}
	epoch, err := s.Claim(b.Context(), id, me, time.Hour, nil)
	if err != nil {
		b.Fatal(err)
	}
	return epoch
}

func kilobytes(n int) []Event {
	events := make([]Event, n)
	for i := range events {
		events[i] = Event{Source: Agent, Hash: make([]byte, 32), Payload: bytes.Repeat([]byte("x"), 1024)}
	}
	return events
}

// report gives the median and the spread of durations.
func report(b *testing.B, name string, all []time.Duration) {
	slices.Sort(all)
	at := func(share float64) float64 { return float64(all[int(share*float64(len(all)-1))].Microseconds()) }
	b.ReportMetric(at(0.5), name+"-p50-us")
	b.ReportMetric(at(0.1), name+"-p10-us")
	b.ReportMetric(at(0.9), name+"-p90-us")
}

// BenchmarkAppend64x1KB appends batches of 64 events, each in turn with the raw limit: the same bytes appended to a file
// and synced.
func BenchmarkAppend64x1KB(b *testing.B) {
	s := bench(b)
	epoch := benchRun(b, s, "r")
	f, err := os.Create(filepath.Join(b.TempDir(), "raw"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	events, raw := kilobytes(64), make([]byte, 64<<10)
	var ours, limit []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := s.Append(b.Context(), "r", epoch, events); err != nil {
			b.Fatal(err)
		}
		ours = append(ours, time.Since(start))
		start = time.Now()
		if _, err := f.Write(raw); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
		limit = append(limit, time.Since(start))
	}
	report(b, "append", ours)
	report(b, "raw", limit)
}

// BenchmarkAppendTogether has many callers append one event each at a time: what sharing a commit gives.
func BenchmarkAppendTogether(b *testing.B) {
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			s := bench(b)
			epochs := make([]int64, callers)
			for i := range epochs {
				epochs[i] = benchRun(b, s, fmt.Sprint("r", i))
			}
			event := kilobytes(1)
			b.ResetTimer()
			var all sync.WaitGroup
			for i := range callers {
				all.Go(func() {
					for range b.N/callers + 1 {
						if _, err := s.Append(b.Context(), fmt.Sprint("r", i), epochs[i], event); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
		})
	}
}

// BenchmarkTailLatency measures from the return of Append until a tail yields the event.
func BenchmarkTailLatency(b *testing.B) {
	b.Run("same store", func(b *testing.B) {
		s := bench(b)
		tailLatency(b, s, s)
	})
	b.Run("another store", func(b *testing.B) {
		s := bench(b)
		reader, err := Open(b.Context(), s.Path())
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = reader.Close() })
		tailLatency(b, s, reader)
	})
}

func tailLatency(b *testing.B, s, reader *Store) {
	epoch := benchRun(b, s, "r")
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	seen := make(chan time.Time, 1)
	go func() {
		for _, err := range reader.Tail(ctx, "r", 0, 0) {
			if err != nil {
				return
			}
			seen <- time.Now()
		}
	}()
	var all []time.Duration
	pace := time.NewTicker(7 * time.Millisecond) // no multiple of the reader's polls
	defer pace.Stop()
	for b.Loop() {
		<-pace.C
		if _, err := s.Append(b.Context(), "r", epoch, kilobytes(1)); err != nil {
			b.Fatal(err)
		}
		written := time.Now()
		all = append(all, max(0, (<-seen).Sub(written)))
	}
	report(b, "latency", all)
}

// BenchmarkDataVersion is what one look of a waiting tail costs.
func BenchmarkDataVersion(b *testing.B) {
	s := bench(b)
	for b.Loop() {
		if _, err := s.DataVersion(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen is what every command pays: a store that is there is opened and closed.
func BenchmarkOpen(b *testing.B) {
	path := bench(b).Path()
	for b.Loop() {
		s, err := Open(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEvents reads a log of 10,000 events in answers of 500.
func BenchmarkEvents(b *testing.B) {
	s := bench(b)
	epoch := benchRun(b, s, "r")
	for range 20 {
		if _, err := s.Append(b.Context(), "r", epoch, kilobytes(500)); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		for after := int64(0); after < 10_000; after += 500 {
			if events, err := s.Events(b.Context(), "r", after, 0); err != nil || len(events) != 500 {
				b.Fatal(len(events), err)
			}
		}
	}
}
