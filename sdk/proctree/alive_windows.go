package proctree

import (
	"context"
	"fmt"
)

// Alive tells of the leader of id, not of what it left. An id that never was is
// No.
func (f *Forest) Alive(ctx context.Context, id string) (Liveness, error) {
	rec, ok, err := f.recordOf(ctx, id)
	if err != nil {
		return Unknown, fmt.Errorf("probe process %q: %w", id, err)
	}
	if !ok {
		return No, nil
	}
	if now, living := probe(rec.PID); living && now == rec.leader() {
		return Yes, nil
	}
	return No, nil
}

// Members lists the live processes of the tree of id: after the leader has ended,
// those it left.
func (f *Forest) Members(ctx context.Context, id string) ([]Member, error) {
	rec, ok, err := f.recordOf(ctx, id)
	if err != nil || !ok {
		return nil, err
	}
	family, err := f.family(rec, nil)
	if err != nil {
		return nil, fmt.Errorf("list process %q: %w", id, err)
	}
	var all []Member
	for _, k := range family {
		all = append(all, Member{PID: k.PID, State: 'R', Command: k.name, UID: -1})
	}
	return all, nil
}

// Sweep kills what the leader of id left behind, and tells what that was.
func (f *Forest) Sweep(ctx context.Context, id string) ([]Member, error) {
	left, err := f.Members(ctx, id)
	if err != nil {
		return nil, err
	}
	return left, f.Kill(ctx, id, 0)
}
