//go:build linux || darwin

package proctree

import (
	"context"
	"fmt"
)

// Alive tells of the leader of id, not of what it left. Unknown comes with the
// reason. A zombie is No, and so is an id that never was.
func (f *Forest) Alive(ctx context.Context, id string) (Liveness, error) {
	rec, err := f.recordOf(ctx, id)
	if err != nil {
		return Unknown, fmt.Errorf("probe process %q: %w", id, err)
	}
	if leader, ok := rec.leader(f.boot); ok {
		if p, there := probe(leader.PID); there && p.ident == leader && p.living() {
			return Yes, nil
		}
	}
	live, err := f.hunt(f.targetOf(id, rec)).scan()
	if err != nil {
		return Unknown, fmt.Errorf("probe process %q: %w", id, err)
	}
	if len(live) > 0 {
		return f.unrecorded(rec, live), nil
	}
	if rec.ID != nil {
		// Whoever started it is gone, or is about to do the same.
		if err := f.forget(ctx, id, rec); err != nil {
			return No, err
		}
	}
	return No, nil
}

// unrecorded judges by the members alone: a starter that died right after the
// fork left a record without a pid.
func (f *Forest) unrecorded(rec record, live []proc) Liveness {
	if rec.PID != 0 && rec.Boot == f.boot {
		return No // the leader is gone, these are what it left
	}
	for _, p := range live {
		if p.sid == p.PID {
			return Unknown
		}
	}
	return No
}

// Members lists the live processes of the tree of id, by pid: after the leader
// has ended, those it left.
func (f *Forest) Members(ctx context.Context, id string) ([]Member, error) {
	rec, err := f.recordOf(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("list process %q: %w", id, err)
	}
	live, err := f.hunt(f.targetOf(id, rec)).scan()
	if err != nil {
		return nil, fmt.Errorf("list process %q: %w", id, err)
	}
	out := make([]Member, 0, len(live))
	for _, p := range live {
		out = append(out, p.member())
	}
	return out, nil
}

// Sweep kills what the leader of id left behind, and tells what that was.
func (f *Forest) Sweep(ctx context.Context, id string) ([]Member, error) {
	left, err := f.Members(ctx, id)
	if err != nil {
		return nil, err
	}
	return left, f.Kill(ctx, id, 0)
}
