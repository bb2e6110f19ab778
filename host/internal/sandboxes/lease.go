package sandboxes

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

const (
	leaseTTL   = 15 * time.Second
	leaseRenew = 5 * time.Second
	leaseRetry = 100 * time.Millisecond
)

// hold takes the lease on a sandbox's key, waiting while another process has
// it, and keeps it until release is called. Two processes never make or remove
// the same sandbox at once.
func hold(ctx context.Context, st *store.Store, key string) (release func(), err error) {
	name, owner := "sandbox/"+key, uuid.NewString()
	tick := time.NewTicker(leaseRetry)
	defer tick.Stop()
	for {
		ok, _, err := st.Acquire(ctx, name, owner, leaseTTL)
		if err != nil {
			return nil, fmt.Errorf("lease %s: %w", name, err)
		}
		if ok {
			break
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lease %s: %w", name, ctx.Err())
		case <-tick.C:
		}
	}
	renew, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		keep(renew, st, name, owner)
	}()
	return func() {
		stop()
		<-done
		free, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseRenew)
		defer cancel()
		// A lease that can't be given back runs out by itself.
		_ = st.ReleaseLease(free, name, owner)
	}, nil
}

func keep(ctx context.Context, st *store.Store, name, owner string) {
	tick := time.NewTicker(leaseRenew)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			// Tried again at the next tick; there is time for two.
			_ = st.RenewLease(ctx, name, owner, leaseTTL)
		}
	}
}
