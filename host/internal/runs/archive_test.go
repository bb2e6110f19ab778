//go:build unix

package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/journal"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

const token = "canary-0123456789"

// reachable is a provider whose sandbox can be had, or not.
type reachable struct {
	sandbox.Provider

	box folderBox
	err error // of Resume
}

func (r *reachable) Resume(context.Context, sandbox.ResumeRequest) (sandbox.Sandbox, error) {
	return r.box, r.err
}

func (r *reachable) Err() error   { return nil }
func (r *reachable) Close() error { return nil }

type reachablePlugins struct{ *reachable }

func (p reachablePlugins) Provider(context.Context, Block) (Provider, error) {
	return p.reachable, nil
}

func (p reachablePlugins) Harness(context.Context, Block) (Harness, error) {
	return nil, fmt.Errorf("the harness says %s", token)
}

// endedRun is a run that has ended in a sandbox with a journal of these files; its
// driver is gone.
func endedRun(t *testing.T, source config.SecretSource, files map[string]string) (*Engine, *reachable, store.Run) {
	t.Helper()
	st := openStore(t)
	spec, err := json.Marshal(Record{Spec: &config.Spec{Secrets: map[string]config.SecretSource{"TOKEN": source}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.CreateRun(t.Context(), store.NewRun{ID: "r", ThreadName: "t", Project: "/p", Harness: "h", Spec: spec}); err != nil {
		t.Fatal(err)
	}
	epoch, err := st.Claim(t.Context(), "r", store.Driver{BootID: boot(), PID: 1 << 30, StartTime: "1"}, leaseTTL, nil)
	if err != nil {
		t.Fatal(err)
	}
	key := "0123456789abcdef"
	box := folderBox{state: t.TempDir()}
	if err := os.MkdirAll(box.state+"/runs/r/started", 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(box.state+"/runs/r/"+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err = errors.Join(
		st.PutSandbox(t.Context(), store.SandboxRow{Key: key, ID: "box", Config: []byte("{}"), Spec: []byte("{}"), State: store.Ready}),
		st.UpdateRun(t.Context(), "r", epoch, store.RunUpdate{Sandbox: &key}),
		st.Finish(t.Context(), "r", epoch, nil, store.Outcome{Status: store.Completed}),
	)
	if err != nil {
		t.Fatal(err)
	}
	run, err := st.Run(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	prov := &reachable{box: box}
	engine := &Engine{
		Store: st, Plugins: reachablePlugins{prov}, Log: slog.New(slog.DiscardHandler),
		Env: func(string) (string, bool) { return token, true },
	}
	return engine, prov, run
}

func fromEnv() config.SecretSource { return config.SecretSource{Env: "HOST_TOKEN", Redact: true} }

// look says whether the run is untidy, and what the sandbox and the copy hold.
func look(t *testing.T, e *Engine, prov *reachable, run store.Run) (untidy, inSandbox, copied bool) {
	t.Helper()
	untidy, err := Untidy(t.Context(), e.Store, run)
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat(prov.box.state + "/runs/r")
	return untidy, err == nil, journal.HasCopy(journalFolder(e.Store, "r"))
}

// TestAJournalIsLookedAfterUntilItIsSettled drives an ended run that was left
// at each point.
func TestAJournalIsLookedAfterUntilItIsSettled(t *testing.T) {
	for _, c := range []struct {
		name   string
		source config.SecretSource
		before func(t *testing.T, e *Engine, prov *reachable, run store.Run)
		fails  bool // the first try
		mend   func(e *Engine, prov *reachable)
		logs   string // what is in the copy; empty: nothing
	}{
		{name: "nothing was done", source: fromEnv(), logs: "a *** b"},
		{name: "it was copied, and not removed", source: fromEnv(), before: func(t *testing.T, e *Engine, prov *reachable, run store.Run) {
			record, err := decodeRecord(run.Spec)
			if err == nil {
				err = e.copyJournal(t.Context(), run, record.Spec, prov.box)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, logs: "a *** b"},
		{name: "its sandbox is out of reach", source: fromEnv(), fails: true, before: func(_ *testing.T, _ *Engine, prov *reachable, _ store.Run) {
			prov.err = sandbox.Errorf(sandbox.Unavailable, "no route")
		}, mend: func(_ *Engine, prov *reachable) { prov.err = nil }, logs: "a *** b"},
		{name: "its secret isn't at hand", source: fromEnv(), fails: true, before: func(_ *testing.T, e *Engine, _ *reachable, _ store.Run) {
			e.Env = func(string) (string, bool) { return "", false }
		}, mend: func(e *Engine, _ *reachable) { e.Env = func(string) (string, bool) { return token, true } }, logs: "a *** b"},
		{name: "its secret is lost", source: config.SecretSource{Value: true, Redact: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, prov, run := endedRun(t, c.source, map[string]string{"out": "a " + token + " b"})
			if c.before != nil {
				c.before(t, e, prov, run)
			}
			if untidy, there, _ := look(t, e, prov, run); !untidy || !there {
				t.Fatalf("before: untidy %v, in the sandbox %v", untidy, there)
			}
			if c.fails {
				if err := e.Drive(t.Context(), "r"); err == nil {
					t.Error("the first try gives no error")
				}
				if untidy, there, copied := look(t, e, prov, run); !untidy || !there || copied {
					t.Errorf("after the first try: untidy %v, in the sandbox %v, copied %v", untidy, there, copied)
				}
				c.mend(e, prov)
			}
			for range 2 {
				if err := e.Drive(t.Context(), "r"); err != nil {
					t.Fatal(err)
				}
				if untidy, there, copied := look(t, e, prov, run); untidy || there || !copied {
					t.Errorf("after: untidy %v, in the sandbox %v, copied %v", untidy, there, copied)
				}
			}
			var out strings.Builder
			err := e.Logs(t.Context(), run, LogStdout, &out)
			if out.String() != c.logs || (err == nil) != (c.logs != "") {
				t.Errorf("logs: %q, %v", out.String(), err)
			}
			if err != nil && !strings.Contains(err.Error(), "couldn't be scrubbed") {
				t.Errorf("logs: %v", err)
			}
		})
	}
}

// TestNoHalfOfASecretStaysAtACut has one across both cuts of a large file.
func TestNoHalfOfASecretStaysAtACut(t *testing.T) {
	e, prov, run := endedRun(t, fromEnv(), map[string]string{"out": ""})
	const size = journal.DefaultHead + journal.DefaultTail + 1<<20
	f, err := os.OpenFile(prov.box.state+"/runs/r/out", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int64{journal.DefaultHead - 9, size - journal.DefaultTail - 9} {
		if _, err := f.WriteAt([]byte(token), at); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(f.Truncate(size), f.Close(), e.Drive(t.Context(), "r")); err != nil {
		t.Fatal(err)
	}
	in, err := journal.OpenCopied(journalFolder(e.Store, run.ID), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	rest := bytes.ReplaceAll(data, []byte{0}, nil)
	want := fmt.Sprintf("\n--- sandlot: %d bytes of %d are left out here ---\n", 1<<20, size)
	if got := strings.TrimSuffix(string(rest), "***"); got != want {
		t.Errorf("besides the zeros there is %q", rest)
	}
}

// TestADriversLogIsScrubbed has a plugin that says the secret.
func TestADriversLogIsScrubbed(t *testing.T) {
	e, _, _ := endedRun(t, fromEnv(), nil)
	spec, err := json.Marshal(Record{Spec: &config.Spec{Secrets: map[string]config.SecretSource{"TOKEN": fromEnv()}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Store.CreateRun(t.Context(), store.NewRun{ID: "s", ThreadName: "s", Project: "/p", Harness: "h", Spec: spec}); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	e.Mask = &Mask{To: &log}
	e.Log = slog.New(slog.NewTextHandler(e.Mask, nil))
	if err := e.Drive(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "the harness says ***") || strings.Contains(log.String(), token) {
		t.Errorf("the log is %s", log.String())
	}
	if err := e.Mask.Error(errors.New("it says " + token)); err.Error() != "it says ***" {
		t.Errorf("the last words are %q", err)
	}
}

// TestARunWhoseSpecCannotBeReadIsEndedUnlessItsAgentMayLive has a damaged row.
func TestARunWhoseSpecCannotBeReadIsEndedUnlessItsAgentMayLive(t *testing.T) {
	for _, c := range []struct {
		name     string
		launched bool
		want     store.Status
	}{
		{"before its agent was started", false, store.Failed},
		{"after it", true, store.Running},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, _, _ := endedRun(t, fromEnv(), nil)
			_, err := e.Store.CreateRun(t.Context(), store.NewRun{ID: "s", ThreadName: "s", Project: "/p", Harness: "h", Spec: []byte("{}")})
			if err != nil {
				t.Fatal(err)
			}
			if c.launched {
				epoch, err := e.Store.Claim(t.Context(), "s", store.Driver{}, leaseTTL, nil)
				launch := json.RawMessage(`{"stdin":"none"}`)
				if err = errors.Join(err, e.Store.UpdateRun(t.Context(), "s", epoch, store.RunUpdate{Launch: &launch})); err != nil {
					t.Fatal(err)
				}
			}
			err = e.Drive(t.Context(), "s")
			run, rerr := e.Store.Run(t.Context(), "s")
			if run.Status != c.want || (err == nil) != run.Status.Terminal() || rerr != nil {
				t.Errorf("the run is %s; %v, %v", run.Status, err, rerr)
			}
		})
	}
}
