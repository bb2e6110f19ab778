package runs

import (
	"bytes"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/secrets"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

func openStore(t *testing.T) *store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// claimed is a run with a log that its driver writes.
func claimed(t *testing.T, st *store.Store, id string) *log {
	t.Helper()
	_, err := st.CreateRun(t.Context(), store.NewRun{ID: id, ThreadName: id, Project: "/p", Harness: "h", Spec: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	return claim(t, st, id)
}

func claim(t *testing.T, st *store.Store, id string) *log {
	t.Helper()
	gone := func(store.Driver) bool { return true }
	epoch, err := st.Claim(t.Context(), id, store.Driver{BootID: "b", PID: 1, StartTime: "1"}, leaseTTL, gone)
	if err != nil {
		t.Fatal(err)
	}
	run, err := st.Run(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	l := newLog(st, slog.New(slog.DiscardHandler), run, epoch)
	if err := l.rewind(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return l
}

func payloads(t *testing.T, texts ...string) [][]byte {
	t.Helper()
	var all [][]byte
	for _, s := range texts {
		p, err := agui.Marshal(agui.TextMessageContent{MessageID: "m", Delta: s})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func deltas(t *testing.T, st *store.Store, run string) string {
	t.Helper()
	events, err := st.Events(t.Context(), run, 0, 500)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range events {
		ev, err := agui.Unmarshal(e.Payload)
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := ev.(agui.TextMessageContent); ok {
			all = append(all, c.Delta)
		}
	}
	return strings.Join(all, " ")
}

func TestASuccessorWritesEachEventOnce(t *testing.T) {
	st := openStore(t)
	first := claimed(t, st, "r")
	if err := first.agent(t.Context(), payloads(t, "a", "b", "c"), 10); err != nil {
		t.Fatal(err)
	}
	second := claim(t, st, "r")
	if err := second.agent(t.Context(), payloads(t, "a", "b"), 5); err != nil {
		t.Fatal(err)
	}
	if err := second.agent(t.Context(), payloads(t, "c", "d"), 12); err != nil {
		t.Fatal(err)
	}
	if got := deltas(t, st, "r"); got != "a b c d" {
		t.Errorf("the log holds %q", got)
	}
	if err := first.agent(t.Context(), payloads(t, "late"), 20); !errors.Is(err, store.ErrFenced) {
		t.Errorf("the first driver may still write: %v", err)
	}
}

func TestAReplayThatGivesOtherEventsIsFoundAndWritesNothing(t *testing.T) {
	st := openStore(t)
	first := claimed(t, st, "r")
	if err := first.agent(t.Context(), payloads(t, "a", "b", "c"), 10); err != nil {
		t.Fatal(err)
	}
	second := claim(t, st, "r")
	err := second.agent(t.Context(), payloads(t, "a", "B", "c", "d"), 12)
	if !errors.Is(err, errDiverged) {
		t.Errorf("error: %v", err)
	}
	if got := deltas(t, st, "r"); got != "a b c" {
		t.Errorf("the log holds %q", got)
	}
	if o := outcomeOf(err, false); o.Reason != "replay_diverged" {
		t.Errorf("the run ends with %s", o.Reason)
	}
}

// secretly gives a log the secrets to scrub.
func secretly(t testing.TB, l *log, values ...string) *log {
	t.Helper()
	sources, given := map[string]secrets.Source{}, map[string]string{}
	for _, v := range values {
		sources["S"+v], given["S"+v] = secrets.Source{Value: true, Redact: true}, v
	}
	set, err := (&secrets.Fetcher{Values: given}).Resolve(t.Context(), sources)
	if err != nil {
		t.Fatal(err)
	}
	l.redact, l.scrub.redactor = set.Redactor().Redact, set.Redactor()
	return l
}

func TestARotatedSecretDoesNotDiverge(t *testing.T) {
	st := openStore(t)
	first := secretly(t, claimed(t, st, "r"), "old-secret")
	if err := first.agent(t.Context(), payloads(t, "old-secret", "x"), 10); err != nil {
		t.Fatal(err)
	}
	second := secretly(t, claim(t, st, "r"), "new-secret") // it doesn't know the old value any more
	if err := second.agent(t.Context(), payloads(t, "old-secret", "x", "y"), 12); err != nil {
		t.Fatal(err)
	}
	if got := deltas(t, st, "r"); got != "*** x y" {
		t.Errorf("the log holds %q", got)
	}
}

func TestWhatIsKeptBackComesWithTheNextPiece(t *testing.T) {
	st := openStore(t)
	l := secretly(t, claimed(t, st, "r"), "supersecret")
	if err := l.agent(t.Context(), payloads(t, "a super"), 5); err != nil {
		t.Fatal(err)
	}
	if got := deltas(t, st, "r"); got != "" {
		t.Fatalf("the log holds %q, which may be the beginning of a secret", got)
	}
	l.host(t.Context(), agui.NewWarning("code", "text")) // an event of the host's own doesn't wait for it
	if n := len(stored(t, st)); n != 1 {
		t.Errorf("the log holds %d events", n)
	}
	if err := l.agent(t.Context(), payloads(t, "man"), 9); err != nil {
		t.Fatal(err)
	}
	if got := deltas(t, st, "r"); got != "a  superman" {
		t.Errorf("the log holds %q", got)
	}
	// A successor meets the same events, whatever was kept back when.
	second := secretly(t, claim(t, st, "r"), "supersecret")
	if err := second.agent(t.Context(), payloads(t, "a super", "man", "x"), 12); err != nil {
		t.Fatal(err)
	}
	if got := deltas(t, st, "r"); got != "a  superman x" {
		t.Errorf("the log holds %q after a takeover", got)
	}
}

func stored(t *testing.T, st *store.Store) []store.Event {
	t.Helper()
	events, err := st.Events(t.Context(), "r", 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func TestAnEventThatCannotBeScrubbedIsLeftOut(t *testing.T) {
	redact := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("12345678"), []byte("***")) }
	kept := redactEvent(redact, []byte(`{"type":"CUSTOM","name":"a","value":"x 12345678"}`))
	if string(kept) != `{"type":"CUSTOM","name":"a","value":"x ***"}` {
		t.Errorf("got %s", kept)
	}
	gone := redactEvent(redact, []byte(`{"type":"CUSTOM","name":"a","value":12345678}`))
	if bytes.Contains(gone, []byte("12345678")) || !bytes.Contains(gone, []byte("event_redacted")) {
		t.Errorf("got %s", gone)
	}
}
