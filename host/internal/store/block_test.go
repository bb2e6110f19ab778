package store

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestEventsThatShareARowAreReadOneByOne(t *testing.T) {
	s := openSQLite(t, t.TempDir())
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		run := fmt.Sprint("r", runs)
		epoch := claimed(t, s, run)
		batches := rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(anyEvent), 0, 40), 1, 4).Draw(rt, "batches")
		var all []Event
		for _, batch := range batches {
			got[int64](t)(s.Append(t.Context(), run, epoch, batch))
			all = append(all, batch...)
		}
		after := rapid.Int64Range(0, int64(len(all))).Draw(rt, "after")
		limit := rapid.IntRange(1, 60).Draw(rt, "limit")
		events := got[[]Event](t)(s.Events(t.Context(), run, after, limit))
		if want := min(limit, len(all)-int(after)); len(events) != want {
			rt.Fatalf("%d events after %d of %d, not %d", len(events), after, len(all), want)
		}
		for i, e := range events {
			alike(rt, e, all[int(after)+i], after+int64(i)+1)
		}
		last := got[[]Event](t)(s.LastEvents(t.Context(), run, limit))
		for i, e := range last {
			alike(rt, e, all[len(all)-1-i], int64(len(all)-i))
		}
		if want := min(limit, len(all)); len(last) != want {
			rt.Fatalf("%d last events, not %d", len(last), want)
		}
		for seq := range all {
			r := got[io.ReadCloser](t)(s.OpenPayload(t.Context(), run, int64(seq)+1))
			if data := got[[]byte](t)(io.ReadAll(r)); !bytes.Equal(data, all[seq].Payload) {
				rt.Fatalf("payload %d is %q, not %q", seq+1, data, all[seq].Payload)
			}
			must(t, r.Close())
		}
		_, err := s.OpenPayload(t.Context(), run, int64(len(all))+1)
		wantErr(t, err, ErrNotFound)
		count, hash := agents(all)
		n, have, err := s.AgentEvents(t.Context(), run)
		if err != nil || n != count || !bytes.Equal(have, hash) {
			rt.Fatalf("%d agent events, hash %x, not %d, %x: %v", n, have, count, hash, err)
		}
	})
}

func anyEvent(t *rapid.T) Event {
	return Event{
		Source:  rapid.SampledFrom([]string{Agent, Agent, Agent, Host}).Draw(t, "source"),
		Offset:  rapid.Int64Range(1, 2).Draw(t, "offset"),
		Hash:    rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "hash"),
		Time:    time.UnixMilli(rapid.Int64Range(1, 2).Draw(t, "time")).UTC(),
		Payload: []byte(rapid.SampledFrom([]string{`{"a":"b"}`, "", "\n", "two\nlines", "\\n", string(bytes.Repeat([]byte("x"), blockBytes/3))}).Draw(t, "payload")),
	}
}

func alike(t *rapid.T, got, want Event, seq int64) {
	if got.Seq != seq || got.Source != want.Source || got.Offset != want.Offset || !got.Time.Equal(want.Time) || !bytes.Equal(got.Payload, want.Payload) {
		t.Fatalf("event %d is %+v, not %+v", seq, got, want)
	}
}

func agents(all []Event) (n int, hash []byte) {
	for _, e := range all {
		if e.Source == Agent {
			n, hash = n+1, e.Hash
		}
	}
	return n, hash
}

func TestWhatAnAgentStreamsSharesRows(t *testing.T) {
	s := openSQLite(t, t.TempDir())
	epoch := claimed(t, s, "r")
	events := make([]Event, 1000)
	for i := range events {
		events[i] = Event{Source: Agent, Payload: fmt.Appendf(nil, `{"n":%d}`, i)}
	}
	got[int64](t)(s.Append(t.Context(), "r", epoch, events))
	var rows int
	must(t, s.read.QueryRowContext(t.Context(), "SELECT count(*) FROM events").Scan(&rows))
	if want := len(events)/blockEvents + 1; rows != want {
		t.Errorf("%d rows hold %d events, not %d", rows, len(events), want)
	}
}
