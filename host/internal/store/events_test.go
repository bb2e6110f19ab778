package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var eventChecks = map[string]check{
	"events come back as they were given, numbered from one": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		at := now().Add(-time.Hour)
		events := []Event{
			{Time: at, Source: Agent, Hash: []byte{1, 0, 255}, Offset: 77, Payload: []byte(`{"type":"RAW"}`)},
			{Source: Host, Payload: []byte("not \xff even JSON \x00")},
			{Source: Host},
		}
		same(t, "last", got[int64](t)(s.Append(t.Context(), "r", epoch, events)), int64(3))
		same(t, "last", got[int64](t)(s.Append(t.Context(), "r", epoch, nil)), int64(3))
		same(t, "last", got[int64](t)(s.LastSeq(t.Context(), "r")), int64(3))
		read := log(t, open(), "r")
		same(t, "first", read[0], Event{Seq: 1, Time: at, Source: Agent, Hash: []byte{1, 0, 255}, Offset: 77, Payload: events[0].Payload})
		if read[1].Time.Before(at.Add(time.Minute)) || read[1].Hash != nil || !bytes.Equal(read[1].Payload, events[1].Payload) {
			t.Errorf("second is %+v", read[1])
		}
		same(t, "third's size", len(read[2].Payload), 0)
	},
	"an append with one bad event appends nothing": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		if _, err := s.Append(t.Context(), "r", epoch, append(texts(3), Event{Source: ""})); err == nil {
			t.Fatal("appended")
		}
		same(t, "last", got[int64](t)(s.Append(t.Context(), "r", epoch, texts(1))), int64(1))
	},
	"reading starts anywhere and answers at most 500": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		got[int64](t)(s.Append(t.Context(), "r", epoch, texts(1200)))
		for _, tc := range []struct {
			after int64
			limit int
			want  int
		}{{0, 0, 500}, {0, 9999, 500}, {0, 7, 7}, {1195, 0, 5}, {1200, 0, 0}, {5000, 0, 0}, {-3, 2, 2}} {
			events := got[[]Event](t)(s.Events(t.Context(), "r", tc.after, tc.limit))
			same(t, fmt.Sprintf("after %d limit %d", tc.after, tc.limit), len(events), tc.want)
			gapless(t, events, max(tc.after, 0)+1)
		}
	},
	"big events are answered a few at a time": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		one := Event{Source: Agent, Payload: bytes.Repeat([]byte("x"), 1<<20)}
		for range 20 {
			got[int64](t)(s.Append(t.Context(), "r", epoch, []Event{one}))
		}
		same(t, "first answer", len(got[[]Event](t)(s.Events(t.Context(), "r", 0, 0))), 16)
		same(t, "all", len(log(t, s, "r")), 20)
	},
	"agent events are counted apart, with the last hash": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		count := func() (int, []byte) {
			n, hash, err := s.AgentEvents(t.Context(), "r")
			must(t, err)
			return n, hash
		}
		if n, hash := count(); n != 0 || hash != nil {
			t.Fatalf("%d, %x", n, hash)
		}
		got[int64](t)(s.Append(t.Context(), "r", epoch, []Event{
			{Source: Host}, {Source: Agent, Hash: []byte{1}}, {Source: Agent, Hash: []byte{2}}, {Source: Host, Hash: []byte{9}},
		}))
		if n, hash := count(); n != 2 || !bytes.Equal(hash, []byte{2}) {
			t.Fatalf("%d, %x", n, hash)
		}
	},
	"logs of different runs don't touch each other": func(t *testing.T, open func() *Store) {
		s := open()
		a, b := claimed(t, s, "a"), claimed(t, s, "b")
		for range 3 {
			got[int64](t)(s.Append(t.Context(), "a", a, texts(2)))
			got[int64](t)(s.Append(t.Context(), "b", b, texts(1)))
		}
		same(t, "a", len(log(t, s, "a")), 6)
		same(t, "b", len(log(t, s, "b")), 3)
	},
}

// bigPayload is an event over the limit of a row.
func bigPayload() []byte {
	b, _ := json.Marshal(map[string]string{"type": "RAW", "text": strings.Repeat("é", bigLimit)})
	return b
}

// bigFiles are the payload files of run r, with their sizes.
func bigFiles(t *testing.T, s *Store) map[string]int64 {
	t.Helper()
	files := map[string]int64{}
	found := got[[]string](t)(filepath.Glob(filepath.Join(filepath.Dir(s.Path()), "runs/r/big/*")))
	for _, f := range found {
		info := got[os.FileInfo](t)(os.Stat(f))
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has mode %o", f, mode)
		}
		files[filepath.Base(f)] = info.Size()
	}
	return files
}

var bigChecks = map[string]check{
	"a payload too big for a row comes back whole": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		payload := bigPayload()
		got[int64](t)(s.Append(t.Context(), "r", epoch, []Event{text("a"), {Source: Agent, Payload: payload}, text("b")}))
		read := log(t, open(), "r")
		if len(read) != 3 || !bytes.Equal(read[1].Payload, payload) {
			t.Fatalf("%d events, second of %d bytes", len(read), len(read[1].Payload))
		}
		same(t, "files", bigFiles(t, s), map[string]int64{"2": int64(len(payload))})
	},
	"a payload whose file is gone is a warning, and the log goes on": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		got[int64](t)(s.Append(t.Context(), "r", epoch, []Event{{Source: Agent, Payload: bigPayload()}, text("b")}))
		must(t, os.RemoveAll(filepath.Join(filepath.Dir(s.Path()), "runs")))
		read := log(t, s, "r")
		var warning struct {
			Type, Name string
			Value      struct{ Code, Text, Start string }
		}
		must(t, json.Unmarshal(read[0].Payload, &warning))
		if warning.Type != "CUSTOM" || warning.Name != "warning" || warning.Value.Code != "payload_missing" ||
			!strings.HasPrefix(warning.Value.Start, `{"text":"é`) || len(read[0].Payload) > 2048 {
			t.Fatalf("payload is %s", read[0].Payload)
		}
		same(t, "next", string(read[1].Payload), string(text("b").Payload))
	},
	"a failed append leaves no file": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		big := Event{Source: Agent, Payload: bigPayload()}
		if _, err := s.Append(t.Context(), "r", epoch, []Event{big, {Source: "nobody"}}); err == nil {
			t.Fatal("appended")
		}
		same(t, "files", bigFiles(t, s), map[string]int64{})
		_, err := s.Append(t.Context(), "r", epoch+1, []Event{big})
		wantErr(t, err, ErrFenced)
		same(t, "files", bigFiles(t, s), map[string]int64{})
	},
}
