package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// got unpacks a call that has to succeed.
func got[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		must(t, err)
		return v
	}
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error is %v, want %v", err, want)
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

var (
	me    = Driver{BootID: "boot", PID: 1, StartTime: "10"}
	other = Driver{BootID: "boot", PID: 2, StartTime: "20"}
)

// text is an event whose payload says so.
func text(format string, args ...any) Event {
	b, _ := json.Marshal(map[string]string{"type": "RAW", "text": fmt.Sprintf(format, args...)})
	return Event{Source: Agent, Payload: b}
}

func texts(n int) []Event {
	events := make([]Event, n)
	for i := range events {
		events[i] = text("event %d", i)
	}
	return events
}

// pending makes a run on a thread of its own.
func pending(t *testing.T, s *Store, id string) Run {
	t.Helper()
	return got[Run](t)(s.CreateRun(t.Context(), NewRun{ID: id, Harness: "acp", Project: "p"}))
}

// claimed makes a run and claims it.
func claimed(t *testing.T, s *Store, id string) (epoch int64) {
	t.Helper()
	pending(t, s, id)
	return got[int64](t)(s.Claim(t.Context(), id, me, time.Minute, nil))
}

func payloads(events []Event) []string {
	var all []string
	for _, e := range events {
		all = append(all, string(e.Payload))
	}
	return all
}

// gapless checks that events are numbered from, from+1, ...
func gapless(t *testing.T, events []Event, from int64) {
	t.Helper()
	for i, e := range events {
		if e.Seq != from+int64(i) {
			t.Fatalf("event %d has seq %d, want %d", i, e.Seq, from+int64(i))
		}
	}
}

// log reads a run's whole log.
func log(t *testing.T, s *Store, run string) []Event {
	t.Helper()
	var all []Event
	for after := int64(0); ; after = int64(len(all)) {
		events := got[[]Event](t)(s.Events(t.Context(), run, after, 0))
		if len(events) == 0 {
			gapless(t, all, 1)
			return all
		}
		all = append(all, events...)
	}
}
