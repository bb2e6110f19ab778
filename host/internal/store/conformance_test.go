package store

import (
	"path/filepath"
	"testing"
)

// check is one behaviour every kind of store has. Each call of open gives another Store, as another process would
// have it, on the same empty store.
type check func(t *testing.T, open func() *Store)

// conformance is the suite; a second backend passes it as it is.
func conformance(t *testing.T, open func(t *testing.T, home string) *Store) {
	for _, group := range []map[string]check{
		createChecks, findChecks, claimChecks, fenceChecks, finishChecks, anewChecks, eventChecks, bigChecks, payloadChecks,
		cancelChecks, approvalChecks, standingChecks, sandboxChecks, snapshotChecks, leaseChecks, tailChecks,
	} {
		for name, run := range group {
			t.Run(name, func(t *testing.T) {
				home := t.TempDir()
				run(t, func() *Store { return open(t, home) })
			})
		}
	}
}

func TestSQLite(t *testing.T) { conformance(t, openSQLite) }

func openSQLite(t *testing.T, home string) *Store {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(home, "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
