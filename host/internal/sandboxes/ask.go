package sandboxes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// ask asks all providers side by side. One that doesn't answer in time isn't
// waited for any longer than it takes to end it.
func ask(ctx context.Context, all map[string]*answer, list Lister, patience time.Duration) map[string]*answer {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	type told struct {
		key  string
		list []sandbox.Summary
		err  error
	}
	answers := make(chan told, len(all)) // nobody may wait when we have left
	waiting := map[string]bool{}
	for key, a := range all {
		if a.err != nil {
			continue
		}
		waiting[key] = true
		go func() {
			found, err := list(ctx, a.spec)
			answers <- told{key, found, err}
		}()
	}
	left := time.NewTimer(patience + closing)
	defer left.Stop()
	for len(waiting) > 0 {
		select {
		case t := <-answers:
			delete(waiting, t.key)
			all[t.key].list, all[t.key].err = t.list, late(ctx, t.err, patience)
		case <-left.C:
			for key := range waiting {
				all[key].err = late(ctx, ctx.Err(), patience)
			}
			return all
		}
	}
	return all
}

// meanwhile are rows after their providers were asked: all that are there, those
// of them that are what they were before, and those that there were before or are
// now. What was made or removed in between is on one side and perhaps not on the
// other, which says nothing.
type meanwhile struct{ now, still, ever []store.SandboxRow }

func lookAgain(ctx context.Context, st *store.Store, before []store.SandboxRow) (m meanwhile, err error) {
	if m.now, err = st.Sandboxes(ctx); err != nil {
		return m, fmt.Errorf("list sandboxes: %w", err)
	}
	m.ever = append(slices.Clone(before), m.now...)
	for _, row := range m.now {
		if m.were(row, before) {
			m.still = append(m.still, row)
		}
	}
	return m, nil
}

// were reports whether a row is among others, of the same sandbox.
func (meanwhile) were(row store.SandboxRow, others []store.SandboxRow) bool {
	return slices.ContainsFunc(others, func(o store.SandboxRow) bool { return o.Key == row.Key && o.ID == row.ID })
}

// late words the error of a provider whose time was over.
func late(ctx context.Context, err error, patience time.Duration) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("no answer within %s: %w", patience, err)
	}
	return err
}

// compare orders by the first pair, then by the second.
func compare(a1, b1, a2, b2 string) int { return cmp.Or(cmp.Compare(a1, b1), cmp.Compare(a2, b2)) }
