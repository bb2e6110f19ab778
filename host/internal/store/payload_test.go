package store

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// spooled is a payload that holds data.
func spooled(t *testing.T, s *Store, epoch int64, data []byte) *Payload {
	t.Helper()
	p := got[*Payload](t)(s.NewPayload("r", epoch))
	for rest := data; len(rest) > 0; {
		n := min(len(rest), 100_000)
		got[int](t)(p.Write(rest[:n]))
		rest = rest[n:]
	}
	same(t, "size", p.Size(), int64(len(data)))
	return p
}

func readPayload(t *testing.T, s *Store, seq int64) []byte {
	t.Helper()
	r := got[io.ReadCloser](t)(s.OpenPayload(t.Context(), "r", seq))
	defer r.Close()
	return got[[]byte](t)(io.ReadAll(r))
}

var payloadChecks = map[string]check{
	"a payload that was written piece by piece comes back whole": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		small, big := []byte(`{"type":"RAW"}`), bigPayload()
		a, b := spooled(t, s, epoch, small), spooled(t, s, epoch, big)
		got[int64](t)(s.Append(t.Context(), "r", epoch, []Event{{Source: Host, Whole: a}, text("x"), {Source: Host, Whole: b}}))
		must(t, a.Close())
		must(t, b.Close())
		must(t, b.Close())
		read := log(t, open(), "r")
		if len(read) != 3 || !bytes.Equal(read[0].Payload, small) || !bytes.Equal(read[2].Payload, big) {
			t.Fatalf("%d events, of %d and %d bytes", len(read), len(read[0].Payload), len(read[2].Payload))
		}
		same(t, "files", bigFiles(t, s), map[string]int64{"3": int64(len(big))})
		if !bytes.Equal(readPayload(t, s, 1), small) || !bytes.Equal(readPayload(t, s, 3), big) {
			t.Error("as streams they differ")
		}
		last := got[[]Event](t)(s.LastEvents(t.Context(), "r", 2))
		if len(last) != 2 || last[0].Seq != 3 || last[1].Seq != 2 || !bytes.Equal(last[0].Payload, big[:bigStart]) {
			t.Errorf("the last events are %d, the first of %d bytes", len(last), len(last[0].Payload))
		}
	},
	"a payload that isn't appended leaves nothing": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		must(t, spooled(t, s, epoch, bigPayload()).Close())
		same(t, "files", bigFiles(t, s), map[string]int64{})
	},
	"an append that fails leaves the payload for the next": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		big := bigPayload()
		p := spooled(t, s, epoch, big)
		if _, err := s.Append(t.Context(), "r", epoch, []Event{{Source: Host, Whole: p}, {Source: ""}}); err == nil {
			t.Fatal("appended")
		}
		_, err := s.Append(t.Context(), "r", epoch+1, []Event{{Source: Host, Whole: p}})
		wantErr(t, err, ErrFenced)
		must(t, s.Finish(t.Context(), "r", epoch, []Event{{Source: Host, Whole: p}}, Outcome{Status: Completed}))
		must(t, p.Close())
		same(t, "files", bigFiles(t, s), map[string]int64{"1": int64(len(big))})
		if !bytes.Equal(readPayload(t, s, 1), big) {
			t.Error("it differs")
		}
	},
	"what drivers before have left is removed, and nothing else": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		big := bigPayload()
		left := spooled(t, s, epoch, big)
		kept := spooled(t, s, epoch, big)
		got[int64](t)(s.Append(t.Context(), "r", epoch, []Event{{Source: Host, Whole: kept}}))
		now := spooled(t, s, epoch+1, []byte("x"))
		same(t, "files", len(bigFiles(t, s)), 2)
		must(t, now.Close())
		same(t, "files", bigFiles(t, s), map[string]int64{"1": int64(len(big))})
		if left.Close() == nil {
			t.Error("the old one doesn't say that it is gone")
		}
	},
	"a payload whose file is gone is an error that names it": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		got[int64](t)(s.Append(t.Context(), "r", epoch, []Event{{Source: Host, Payload: bigPayload()}}))
		must(t, os.Remove(filepath.Join(filepath.Dir(s.Path()), "runs/r/big/1")))
		_, err := s.OpenPayload(t.Context(), "r", 1)
		wantErr(t, err, os.ErrNotExist)
		_, err = s.OpenPayload(t.Context(), "r", 2)
		wantErr(t, err, ErrNotFound)
	},
}
