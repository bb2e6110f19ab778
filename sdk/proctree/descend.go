package proctree

import (
	"context"
	"time"
)

// ident is a process that can't be confused with a later one of its number.
type ident struct {
	PID   int
	Start uint64 // clock ticks since boot (Linux), microseconds since 1970 (macOS), 100 ns since 1601 (Windows)
}

// kin is a process in a table that tells parents and nothing else of how
// processes belong together, as that of Windows does.
type kin struct {
	ident
	parent int // its number when the process was made; nobody is given another parent
	name   string
}

// descend returns the members of a family that are in the table: those whose
// ident is known already, and all that descend from them. The known may have
// ended: a process whose parent is gone still names it, so its number is looked
// up among the dead members as well. Of several that had the number, the parent
// is the last that started before the child.
func descend(table []kin, known []ident) []kin {
	member := map[ident]bool{}
	had := map[int][]ident{} // by number: who has it, and members that had it
	for _, id := range known {
		member[id] = true
		had[id.PID] = append(had[id.PID], id)
	}
	for _, k := range table {
		if !member[k.ident] {
			had[k.PID] = append(had[k.PID], k.ident)
		}
	}
	for grown := true; grown; {
		grown = false
		for _, k := range table {
			if !member[k.ident] && member[parentOf(k, had[k.parent])] {
				member[k.ident], grown = true, true
			}
		}
	}
	var family []kin
	for _, k := range table {
		if member[k.ident] {
			family = append(family, k)
		}
	}
	return family
}

// parentOf is the zero ident where none of the candidates can be the parent.
func parentOf(k kin, candidates []ident) ident {
	var parent ident
	for _, c := range candidates {
		if c != k.ident && c.Start <= k.Start && c.Start >= parent.Start {
			parent = c
		}
	}
	return parent
}

// jobName is the name of a tree's job object on Windows, in the namespace of the
// user's session.
func jobName(token string) string { return `Local\sandlot-` + token }

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
