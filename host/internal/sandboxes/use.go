package sandboxes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// Use is work in a sandbox outside of a run. While it lasts, nobody destroys the
// sandbox but the run to which it belongs, and it counts as used.
type Use struct {
	store            *store.Store
	key, name, owner string
	stop             func()
}

// Begin notes that somebody works in a sandbox; what names the work in messages,
// e.g. "sandlot exec". One that is being made or removed, or is gone, is refused.
// End the use when the work is done; that of a process that is gone counts no
// more.
func Begin(ctx context.Context, st *store.Store, row store.SandboxRow, what string, who Claimant) (*Use, error) {
	owner, err := json.Marshal(leaseOwner{Process: who.Process, Nonce: uuid.NewString(), What: what})
	if err != nil {
		return nil, fmt.Errorf("note use of sandbox %s: %w", nameOf(row), err)
	}
	u := &Use{store: st, key: row.Key, name: uuid.NewString(), owner: string(owner)}
	if err := st.BeginUse(ctx, u.key, u.name, u.owner, leaseTTL); err != nil {
		return nil, unusable(row, err)
	}
	u.stop = renewing(ctx, func(ctx context.Context) error { return st.RenewUse(ctx, u.key, u.name, u.owner, leaseTTL) })
	return u, nil
}

// unusable says in whose hands a sandbox is that can't be used.
func unusable(row store.SandboxRow, err error) error {
	if unready, ok := errors.AsType[*store.NotReadyError](err); ok {
		switch {
		case unready.State == store.Creating && row.Run != "":
			return fmt.Errorf("use sandbox %s: it is being made by run %s, or was never finished; see sandlot ps, and watch the run with: sandlot attach %s",
				nameOf(row), row.Run, row.Run)
		case unready.State == store.Creating:
			return fmt.Errorf("use sandbox %s: it is being made, or was never finished; sandlot up goes on with it", nameOf(row))
		case unready.State == store.Destroying:
			return fmt.Errorf("use sandbox %s: it is being removed", nameOf(row))
		}
	}
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("use sandbox %s: it was removed a moment ago", nameOf(row))
	}
	return fmt.Errorf("use sandbox %s: %w", nameOf(row), err)
}

// End ends the use.
func (u *Use) End(ctx context.Context) {
	u.stop()
	free, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseRenew)
	defer cancel()
	// One that can't be ended runs out by itself.
	_ = u.store.EndUse(free, u.key, u.name, u.owner)
}

// unused sees to it that no use begins any more, or says who has begun one.
func unused(ctx context.Context, st *store.Store, row store.SandboxRow, who Claimant) error {
	for {
		uses, err := st.BeginDestroy(ctx, row.Key)
		if err != nil {
			return missing(err)
		}
		if len(uses) == 0 {
			return nil
		}
		for _, u := range uses {
			o := ownerOf(u.Owner)
			if !who.knowsGone(o.Process) {
				return &InUseError{ID: nameOf(row), By: o.String()}
			}
			if err := st.EndUse(ctx, row.Key, u.Name, u.Owner); err != nil {
				return fmt.Errorf("end the use of sandbox %s by a process that is gone: %w", nameOf(row), err)
			}
		}
	}
}

// worked reports whether somebody who isn't known to be gone works in a sandbox.
func worked(ctx context.Context, st *store.Store, key string, who Claimant) (bool, error) {
	uses, err := st.Uses(ctx, key)
	for _, u := range uses {
		var o leaseOwner
		if json.Unmarshal([]byte(u.Owner), &o) != nil || !who.knowsGone(o.Process) {
			return true, err
		}
	}
	return false, err
}
