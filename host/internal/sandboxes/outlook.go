package sandboxes

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Fate is what Ensure would find of the sandbox of a key.
type Fate string

// The fates.
const (
	FateNone     Fate = "none"     // there is none: it would be made
	FateThere    Fate = "there"    // it would be resumed
	FateGone     Fate = "gone"     // its provider doesn't have it any more: another would be made
	FateHalfMade Fate = "half"     // its making or removal wasn't finished: the rest is removed, and another made
	FateBusy     Fate = "busy"     // another process makes or removes it at present: it would be waited for
	FateUnknown  Fate = "unknown"  // its provider gives no answer: Ensure would fail
	FateReplaced Fate = "replaced" // there is none of this key, but one that the thread's last runs used
)

// Outlook is what Ensure would do, seen without doing it.
type Outlook struct {
	Fate Fate
	Row  store.SandboxRow // of the key; with FateReplaced of the other one; else empty
	Err  error            // with FateUnknown
}

// Look tells what Ensure would do for a key. all lists what the provider has, and
// is asked only where that matters. Nothing is changed, and nobody is waited for.
func Look(ctx context.Context, st *store.Store, key, thread, block string, who Claimant, all func(context.Context) ([]sandbox.Summary, error)) (Outlook, error) {
	row, err := st.Sandbox(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return before(ctx, st, thread, block)
	}
	if err != nil {
		return Outlook{}, fmt.Errorf("look up sandbox: %w", err)
	}
	busy, err := held(ctx, st, key, who)
	switch {
	case err != nil:
		return Outlook{}, err
	case busy:
		return Outlook{Fate: FateBusy, Row: row}, nil
	case row.State != store.Ready:
		return Outlook{Fate: FateHalfMade, Row: row}, nil
	}
	list, err := all(ctx)
	switch {
	case err != nil:
		return Outlook{Fate: FateUnknown, Row: row, Err: err}, nil
	case slices.ContainsFunc(list, func(s sandbox.Summary) bool { return is(row, s) }):
		return Outlook{Fate: FateThere, Row: row}, nil
	}
	return Outlook{Fate: FateGone, Row: row}, nil
}

// before looks for the sandbox that the thread's runs of a block used last.
func before(ctx context.Context, st *store.Store, thread, block string) (Outlook, error) {
	rows, err := st.Sandboxes(ctx)
	if err != nil {
		return Outlook{}, fmt.Errorf("look up sandboxes of the thread: %w", err)
	}
	var last Outlook
	for _, row := range rows {
		if thread != "" && row.Thread == thread && row.Block == block && (last.Fate == "" || row.Used.After(last.Row.Used)) {
			last = Outlook{Fate: FateReplaced, Row: row}
		}
	}
	if last.Fate == "" {
		last.Fate = FateNone
	}
	return last, nil
}

// held reports whether a process that isn't known to be gone makes or removes the
// sandbox of a key at present.
func held(ctx context.Context, st *store.Store, key string, who Claimant) (bool, error) {
	l := &lease{store: st, name: leaseName(key), who: who}
	holder, err := st.LeaseHolder(ctx, l.name)
	if err != nil {
		return false, fmt.Errorf("look for who makes sandbox %s: %w", key, err)
	}
	return holder != "" && !l.gone(holder), nil
}
