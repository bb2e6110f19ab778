package runs

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/journal"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// Revival is what became of a live run that had no driver.
type Revival struct {
	Run string
	Err error // why it has none still; nil: it is driven again
}

// claimPatience is how long a driver that was started may take to claim its run
// before a list goes on without it.
const claimPatience = 2 * time.Second

// Revive starts a driver for each live run of a list that has none, and waits a
// moment until it has claimed the run. A run whose secrets can't be had here is
// left alone: a driver without them would end it, or give up.
func Revive(ctx context.Context, st *store.Store, list []Entry, env func(string) (string, bool), launch Launcher) []Revival {
	all := make([]Revival, 0, len(list))
	var group sync.WaitGroup
	for _, e := range list {
		if e.Driven || e.Run.Status.Terminal() || young(e.Run) {
			continue
		}
		all = append(all, Revival{Run: e.Run.ID})
		r := &all[len(all)-1] // its capacity is enough: it doesn't move
		group.Go(func() { r.Err = revive(ctx, st, r.Run, env, launch) })
	}
	group.Wait()
	return all
}

// ReviveRun is Revive for one run; nothing is told of one that needs no driver.
func ReviveRun(ctx context.Context, st *store.Store, run store.Run, env func(string) (string, bool), launch Launcher) []Revival {
	return Revive(ctx, st, []Entry{{Run: run, Driven: Driven(run)}}, env, launch)
}

// young is a run that whoever wrote it is about to start a driver for, and who
// may have secrets that nobody else has.
func young(r store.Run) bool { return r.Epoch == 0 && time.Since(r.Created) < leaseTTL }

func revive(ctx context.Context, st *store.Store, id string, env func(string) (string, bool), launch Launcher) error {
	run, err := st.Run(ctx, id)
	if err != nil {
		return fmt.Errorf("read run %s: %w", id, err)
	}
	if run.Status.Terminal() || Driven(run) {
		return nil
	}
	record, err := decodeRecord(run.Spec)
	if err != nil {
		return err
	}
	missing := CheckSecrets(ctx, record.Spec, env, nil)
	needed := len(run.Launch) == 0 || scrubbed(record.Spec, missing)
	if missing != nil && needed && run.CancelRequested.IsZero() {
		return missing
	}
	driver, err := launch(ctx, id)
	if err != nil {
		return fmt.Errorf("start a driver for run %s: %w", id, err)
	}
	return awaitClaim(ctx, st, id, driver)
}

// awaitClaim returns when the run is driven, has ended, or the driver gave up.
func awaitClaim(ctx context.Context, st *store.Store, id string, driver Driver) error {
	ctx, cancel := context.WithTimeout(ctx, claimPatience)
	defer cancel()
	tick := time.NewTicker(tailEvery)
	defer tick.Stop()
	for {
		select {
		case <-driver.Done():
			return driver.Err()
		case <-ctx.Done():
			return nil // it is at work; how far it got is seen the next time
		case <-tick.C:
		}
		if run, err := st.Run(ctx, id); err == nil && (Driven(run) || run.Status.Terminal()) {
			return nil
		}
	}
}

// mostTidied is how many runs a list has tidied up at once.
const mostTidied = 4

// TidyUp starts drivers for ended runs of a list that left something behind (see
// Untidy), a few at a time, and doesn't wait for them. Those whose secrets can't
// be had here wait for somebody who has them.
func TidyUp(ctx context.Context, st *store.Store, list []Entry, env func(string) (string, bool), launch Launcher) error {
	rows, err := st.Sandboxes(ctx)
	if err != nil {
		return fmt.Errorf("list sandboxes: %w", err)
	}
	there := map[string]bool{}
	for _, row := range rows {
		there[row.Key] = row.ID != ""
	}
	started := 0
	for _, e := range list {
		r := e.Run
		if started == mostTidied {
			return nil
		}
		if !r.Status.Terminal() || !there[r.Sandbox] || !abandoned(r) ||
			journal.Settled(journalFolder(st, r.ID)) && !removes(e.lifecycle, r.Status == store.Canceled) {
			continue
		}
		run, err := st.Run(ctx, r.ID)
		if err != nil {
			return fmt.Errorf("read run %s: %w", r.ID, err)
		}
		untidy, err := Untidy(ctx, st, run)
		if err != nil {
			return err
		}
		record, err := decodeRecord(run.Spec)
		if err != nil || !untidy {
			continue
		}
		if missing := CheckSecrets(ctx, record.Spec, env, nil); missing != nil && !lostForGood(record.Spec, missing) {
			continue
		}
		if _, err := launch(ctx, r.ID); err != nil {
			return fmt.Errorf("start a driver for run %s: %w", r.ID, err)
		}
		started++
	}
	return nil
}
