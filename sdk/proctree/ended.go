//go:build linux || darwin || windows

package proctree

import "context"

// ended is the latched end of a tree's leader.
type ended struct {
	done chan struct{} // closed when the leader has ended and been reaped
	exit Exit          // valid then, like the next two
	left bool
	err  error
}

// Done is closed when the leader has ended and been reaped.
func (e *ended) Done() <-chan struct{} { return e.done }

// Leftovers reports, once Done is closed, whether the leader left members of
// the tree behind: then the record stays until they are killed.
func (e *ended) Leftovers() bool {
	select {
	case <-e.done:
		return e.left
	default:
		return false
	}
}

// Wait returns how the leader ended. The answer is latched. It doesn't wait
// for what the leader left behind, nor end it; see [Forest.Sweep]. If ctx ends
// first, its error is returned and the tree goes on.
func (e *ended) Wait(ctx context.Context) (Exit, error) {
	select {
	case <-e.done:
		return e.exit, e.err
	default:
	}
	select {
	case <-e.done:
		return e.exit, e.err
	case <-ctx.Done():
		return Exit{Code: -1}, ctx.Err()
	}
}
