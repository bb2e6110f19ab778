package sandboxes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

const (
	leaseTTL   = 15 * time.Second
	leaseRenew = 5 * time.Second
	leaseRetry = 100 * time.Millisecond

	leaseSoon     = 500 * time.Millisecond // until somebody who has it isn't waited for, where it can be left
	leasePatience = time.Second            // before it is said who is waited for
)

// Claimant is who makes or removes a sandbox.
type Claimant struct {
	Process store.Driver                    // the process that does it
	What    string                          // it is, for messages to others, e.g. "sandlot up"; may be empty
	Gone    func(store.Driver) bool         // whether another's process is known to be gone; nil: never
	Still   func(ctx context.Context) error // asked right before anything is made or removed: an error stops it; nil: it may
}

// leaseOwner is the owner's name of a lease. The nonce tells two leases of one
// process apart.
type leaseOwner struct {
	Process store.Driver `json:"process"`
	Nonce   string       `json:"nonce"`
	What    string       `json:"what,omitempty"` // that it does, for messages
}

// String names the owner in a message.
func (o leaseOwner) String() string {
	if o.What == "" {
		o.What = "another process"
	}
	if o.Process.PID == 0 {
		return o.What
	}
	return fmt.Sprintf("%s (pid %d)", o.What, o.Process.PID)
}

// knowsGone reports whether a process is known to be gone.
func (c Claimant) knowsGone(d store.Driver) bool {
	return c.Gone != nil && d != store.Driver{} && c.Gone(d)
}

// lease is the right to do something: to make or remove the sandbox of one key.
type lease struct {
	store       *store.Store
	name, owner string
	who         Claimant
	stop        func()
}

func leaseName(key string) string { return "sandbox/" + key }

// snapshotLease is the right to make a snapshot of the sandbox of a key, and, as one
// that was made isn't noted at once, to remove those of it that no row tells of.
func snapshotLease(key string) string { return "snapshot/" + key }

// hold takes the lease on a sandbox's key, waiting while another process has
// it, and keeps it until release is called. Two processes never make or remove
// the same sandbox at once. The lease of a process that is gone is taken from
// it at once. Of a wait that takes long, waits is told once who is waited for.
func hold(ctx context.Context, st *store.Store, key string, who Claimant, waits func(leaseOwner)) (*lease, error) {
	return holdAs(ctx, st, leaseName(key), who, waits)
}

// holdAs is hold for a lease of any name.
func holdAs(ctx context.Context, st *store.Store, name string, who Claimant, waits func(leaseOwner)) (*lease, error) {
	owner, err := json.Marshal(leaseOwner{Process: who.Process, Nonce: uuid.NewString(), What: who.What})
	if err != nil {
		return nil, fmt.Errorf("lease %s: %w", name, err)
	}
	l := &lease{store: st, name: name, owner: string(owner), who: who}
	tick := time.NewTicker(leaseRetry)
	defer tick.Stop()
	for began := time.Now(); ; {
		ok, holder, err := st.Acquire(ctx, l.name, l.owner, leaseTTL)
		if err == nil && !ok && l.gone(holder) {
			if err = st.ReleaseLease(ctx, l.name, holder); err == nil {
				continue
			}
		}
		if err != nil {
			return nil, fmt.Errorf("lease %s: %w", l.name, err)
		}
		if ok {
			break
		}
		if waits != nil && time.Since(began) > leasePatience {
			waits(ownerOf(holder))
			waits = nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lease %s: %w", l.name, ctx.Err())
		case <-tick.C:
		}
	}
	l.keep(ctx)
	return l, nil
}

// gone reports whether the holder of a lease is a process that is gone.
func (l *lease) gone(holder string) bool { return l.who.knowsGone(ownerOf(holder).Process) }

// ownerOf reads an owner's name; what can't be read is nobody that is known.
func ownerOf(name string) leaseOwner {
	var o leaseOwner
	if json.Unmarshal([]byte(name), &o) != nil {
		return leaseOwner{}
	}
	return o
}

// keep renews the lease until release.
func (l *lease) keep(ctx context.Context) {
	l.stop = renewing(ctx, func(ctx context.Context) error { return l.store.RenewLease(ctx, l.name, l.owner, leaseTTL) })
}

// renewing renews again and again, also after ctx's end, until it is told to
// stop. An error is tried again at the next time: there is time for two.
func renewing(ctx context.Context, renew func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(leaseRenew)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = renew(ctx)
			}
		}
	}()
	return func() { cancel(); <-done }
}

// still makes sure, now, that the lease is ours and that we may go on: a process
// that was stopped for longer than its lease has lasted must not make or remove
// what is another's by now.
func (l *lease) still(ctx context.Context) error {
	if err := l.store.RenewLease(ctx, l.name, l.owner, leaseTTL); err != nil {
		return fmt.Errorf("make sure that the sandbox is still ours: %w", err)
	}
	if l.who.Still == nil {
		return nil
	}
	return l.who.Still(ctx)
}

// lost reports whether an error says that the lease is another's.
func lost(err error) bool { return errors.Is(err, store.ErrFenced) }

func (l *lease) release(ctx context.Context) {
	l.stop()
	free, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseRenew)
	defer cancel()
	// A lease that can't be given back runs out by itself.
	_ = l.store.ReleaseLease(free, l.name, l.owner)
}
