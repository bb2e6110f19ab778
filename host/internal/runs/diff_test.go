package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/secrets"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/host/internal/watch"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// printer is a sandbox whose every command prints the same, piece by piece, and
// ends well, or can't be started.
type printer struct {
	armed
	says func(w io.Writer)
	err  error
}

func (p *printer) Start(_ context.Context, cmd sandbox.Command) (sandbox.Process, error) {
	if p.err != nil {
		return nil, p.err
	}
	p.says(cmd.Stdout)
	return printed{}, nil
}

// printed is a process that has ended.
type printed struct{ sandbox.Process }

func (printed) Close() error { return nil }
func (printed) Wait(context.Context) (sandbox.Exit, error) {
	return sandbox.Exit{Reason: sandbox.ReasonExited}, nil
}

// again is a provider that gives another sandbox.
type again struct {
	sandbox.Provider
	box sandbox.Sandbox
}

func (a again) Resume(context.Context, sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	return a.box, nil
}
func (a again) Err() error   { return nil }
func (a again) Close() error { return nil }

type againPlugins struct {
	Plugins
	box sandbox.Sandbox
}

func (p againPlugins) Provider(context.Context, Block) (Provider, error) {
	return again{box: p.box}, nil
}

// compared is a run whose driver sees its changes in a sandbox and ends it.
// Another sandbox is had by starting the provider again.
func compared(t *testing.T, set map[string]string, box, other sandbox.Sandbox) (*store.Store, store.Run) {
	t.Helper()
	st := openStore(t)
	l := claimed(t, st, "r")
	sources := map[string]secrets.Source{}
	for name := range set {
		sources[name] = secrets.Source{Value: true, Redact: true}
	}
	resolved, err := (&secrets.Fetcher{Values: set}).Resolve(t.Context(), sources)
	if err != nil {
		t.Fatal(err)
	}
	note := &launched{Baseline: &watch.Baseline{Folder: "r-1"}}
	raw, err := json.Marshal(note)
	if err != nil {
		t.Fatal(err)
	}
	launch := json.RawMessage(raw)
	if err := st.UpdateRun(t.Context(), "r", l.epoch, store.RunUpdate{Launch: &launch}); err != nil {
		t.Fatal(err)
	}
	d := &drive{
		Engine: &Engine{Store: st, Log: slog.New(slog.DiscardHandler), Plugins: againPlugins{box: other}},
		id:     "r", run: l.run, epoch: l.epoch, log: l, noted: note, closed: true, secrets: resolved, record: &Record{Spec: &config.Spec{}},
	}
	d.log.redact = resolved.Redactor().Redact
	d.seeChanges(t.Context(), box)
	d.seeChanges(t.Context(), box) // whoever ends the run may have looked already
	if err := d.end(t.Context(), store.Outcome{Status: store.Completed, Reason: "ok"}); err != nil {
		t.Fatal(err)
	}
	d.changed.close()
	run, err := st.Run(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	return st, run
}

// prints is what the diff script prints for a patch.
func prints(patch string) func(io.Writer) {
	return func(w io.Writer) {
		fmt.Fprint(w, "0 0 0 0\n3\t1\tf\n\n")
		for piece := range slices.Chunk([]byte(patch), 7) {
			_, _ = w.Write(piece)
		}
	}
}

func TestADiffIsToldOnceAndComesBackAsItWas(t *testing.T) {
	gone := &printer{err: sandbox.Errorf(sandbox.Unavailable, "the plugin died")}
	for _, c := range []struct {
		name    string
		patch   string
		box     *printer
		want    string // the patch; empty: there is none
		warning string
		fails   string
	}{
		{name: "text", patch: "diff --git\n+a\n", want: "diff --git\n+a\n"},
		{name: "bytes", patch: "+gr\xfcn 100% \"\\\x00\n", want: "+gr\xfcn 100% \"\\\x00\n"},
		{name: "a secret", patch: "+is canary-0123456789!\n", want: "+is ***!\n", warning: "may not apply"},
		{name: "a provider that died and is there again", patch: "+a\n", box: gone, want: "+a\n"},
		{name: "an error", box: &printer{err: errors.New("no room for canary-0123456789")}, fails: "no room for ***"},
		{name: "nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			good := &printer{says: prints(c.patch)}
			if c.patch == "" {
				good.says = func(w io.Writer) { fmt.Fprint(w, "0 0 0 0\n") }
			}
			box := good
			if c.box != nil {
				box = c.box
			}
			st, run := compared(t, map[string]string{"S": "canary-0123456789"}, box, good)
			d, err := OpenDiff(t.Context(), st, run)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("got %v, want %q", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			var got []byte
			if d.Patch != nil {
				if got, err = io.ReadAll(d.Patch); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" || !strings.Contains(strings.Join(d.Warnings, ""), c.warning) || (c.warning == "") != (d.Warnings == nil) {
				t.Errorf("warnings %q, (-want +got):\n%s", d.Warnings, diff)
			}
			events, err := st.Events(t.Context(), "r", 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			told := 0
			for i, e := range events {
				if bytes.HasPrefix(e.Payload, []byte(diffEvent)) {
					told++
					if i != len(events)-2 || !json.Valid(e.Payload) {
						t.Errorf("it is event %d of %d: %.200s", i, len(events), e.Payload)
					}
				}
			}
			if want := min(1, len(c.want)); told != want {
				t.Errorf("it is told %d times, want %d", told, want)
			}
		})
	}
}

// TestADiffLargerThanMemoryShouldBeIsNeverHeld has 32 MiB pass through.
func TestADiffLargerThanMemoryShouldBeIsNeverHeld(t *testing.T) {
	const size = 32 << 20
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	most := uint64(0)
	block := make([]byte, 32<<10)
	r := rand.NewChaCha8([32]byte{})
	_, _ = r.Read(block)
	for i := range block {
		block[i] = "0123456789abcdefghijklmnopqrstuvwxyz\n"[block[i]%37]
	}
	box := &printer{says: func(w io.Writer) {
		fmt.Fprint(w, "0 0 0 0\n-\t-\tf\n\n")
		for i := range size / len(block) {
			_, _ = w.Write(block)
			if i%64 == 0 {
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc)
			}
		}
	}}
	st, run := compared(t, map[string]string{"S": "canary-0123456789"}, box, box)
	runtime.ReadMemStats(&now)
	most = max(most, now.HeapAlloc)
	d, err := OpenDiff(t.Context(), st, run)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	n, err := io.Copy(io.Discard, d.Patch)
	if err != nil || n != size {
		t.Errorf("it comes back with %d bytes, %v", n, err)
	}
	runtime.ReadMemStats(&now)
	if most = max(most, now.HeapAlloc); most-before.HeapAlloc > size/2 {
		t.Errorf("up to %d MiB were held", (most-before.HeapAlloc)>>20)
	}
}
