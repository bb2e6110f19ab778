package checkup_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/checkup"
	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// machine is one with a store, in which fill writes; it looks in an hour.
func machine(t *testing.T, fill func(ctx context.Context, st *store.Store) error) *checkup.Machine {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir()) // other programs' folders are in the usual one
	home := filepath.Join(t.TempDir(), "home")
	st, err := store.Open(t.Context(), filepath.Join(home, "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := fill(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	return &checkup.Machine{
		Home: home, Environ: []string{"PATH=/usr/bin:/bin", "HOME=" + home}, Now: time.Now().Add(time.Hour),
		Plugins: plugins.New(plugins.Options{Home: home}),
	}
}

// found are the findings of one check that aren't ok, one a line.
func found(t *testing.T, m *checkup.Machine, check string) string {
	t.Helper()
	var out strings.Builder
	for _, f := range m.Check(t.Context()) {
		if f.Check == check && f.Level != checkup.OK {
			out.WriteString(string(f.Level) + ": " + f.Message + " -> " + f.Fix + "\n")
		}
	}
	return out.String()
}

func aRun(ctx context.Context, st *store.Store) error {
	_, err := st.CreateRun(ctx, store.NewRun{ID: "r1", Project: "/p", ThreadName: "main", Harness: "acp", Spec: []byte("{}")})
	return err
}

func TestARunThatNobodyDrivesIsLeft(t *testing.T) {
	m := machine(t, aRun)
	const want = "warning: run r1 (thread main) is pending and nobody drives it -> sandlot attach r1\n"
	if got := found(t, m, "leftovers"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	m.Now = time.Now() // whoever wrote it is about to start its driver
	if got := found(t, m, "leftovers"); got != "" {
		t.Errorf("of one just made: %q", got)
	}
}

func TestASandboxThatIsHalfMadeIsLeft(t *testing.T) {
	m := machine(t, func(ctx context.Context, st *store.Store) error {
		for key, state := range map[string]store.SandboxState{
			strings.Repeat("a", 64): store.Creating, strings.Repeat("b", 64): store.Destroying, strings.Repeat("c", 64): store.Ready,
		} {
			id := ""
			if state != store.Creating {
				id = "id " + key[:1]
			}
			if err := st.PutSandbox(ctx, store.SandboxRow{Key: key, ID: id, Type: "localprocess", Block: "app", State: state}); err != nil {
				return err
			}
		}
		return nil
	})
	got := found(t, m, "leftovers")
	for _, want := range []string{
		"sandbox sandlot-aaaaaaaaaaaaaaaa (block app, provider localprocess) was begun and never finished -> sandlot destroy sandlot-aaaaaaaaaaaaaaaa\n",
		"sandbox id b (block app, provider localprocess) was being destroyed and still there -> sandlot destroy 'id b'\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if strings.Count(got, "\n") != 2 {
		t.Errorf("got %s", got)
	}
}

func TestAClockThatIsWrongIsAProblem(t *testing.T) {
	m := machine(t, aRun)
	if got := found(t, m, "clock"); got != "" {
		t.Errorf("of a right one: %s", got)
	}
	m.Now = time.Now().Add(-time.Hour)
	if got := found(t, m, "clock"); !strings.Contains(got, "problem: ") || !strings.Contains(got, "it went back") {
		t.Errorf("of one that went back: %q", got)
	}
	m.Now = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	if got := found(t, m, "clock"); !strings.Contains(got, "before this program was written") {
		t.Errorf("of one that was never set: %q", got)
	}
}

func TestACheckupThatIsGivenUpEnds(t *testing.T) {
	m := machine(t, aRun)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if all := m.Check(ctx); len(all) == 0 {
		t.Error("it tells nothing")
	}
}
