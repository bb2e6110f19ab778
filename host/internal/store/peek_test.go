package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

func TestPeekMakesAndWritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home", "store.db")
	if _, err := store.Peek(t.Context(), path); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("of no store: %v", err)
	}
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Fatalf("a folder was made: %v", err)
	}
	full, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	s, err := store.Peek(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Owner() != full.Owner() {
		t.Errorf("owner %q, want %q", s.Owner(), full.Owner())
	}
	if list, err := s.Runs(t.Context(), store.RunFilter{}); err != nil || len(list) != 0 {
		t.Errorf("runs: %v, %v", list, err)
	}
	if err := s.TouchSandbox(t.Context(), "k"); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("a write: %v", err)
	}
	if faults, err := s.Faults(t.Context()); err != nil || len(faults) != 0 {
		t.Errorf("faults: %v, %v", faults, err)
	}
}

func TestPeekTellsADamagedStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	if err := os.WriteFile(path, []byte("this is no store, but it is long enough to look into"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Peek(t.Context(), path); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

func TestFaultsAreFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil { // so that all is in the file
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(data) - 4096; i < len(data)-4000; i++ { // the head of the last page
		data[i] ^= 0x5a
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err = store.Peek(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if faults, err := s.Faults(t.Context()); err == nil && len(faults) == 0 || len(faults) > 10 {
		t.Errorf("faults: %d %v, %v", len(faults), faults, err)
	}
}
