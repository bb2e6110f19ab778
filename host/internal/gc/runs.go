package gc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/journal"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// strange is how old a folder of a run that the store doesn't know must be to be
// taken for a leftover.
const strange = time.Hour

// runs removes what is kept of runs that ended long ago: drivers' logs, copies of
// journals, payloads of large events. The events themselves stay.
func (c *Collector) runs(ctx context.Context) error {
	dir := filepath.Join(c.Engine.Home, "runs")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list folders of runs: %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() || !store.ValidName(e.Name()) {
			continue
		}
		folder := filepath.Join(dir, e.Name())
		run, err := c.Engine.Store.Run(ctx, e.Name())
		switch {
		case errors.Is(err, store.ErrNotFound):
			c.unknownRun(e, folder)
		case err != nil:
			return fmt.Errorf("look up run: %w", err)
		case run.Status.Terminal() && time.Since(run.Finished) >= c.Options.Journals:
			if err := c.oldRun(ctx, run, folder); err != nil {
				return err
			}
		}
	}
	return nil
}

// unknownRun removes the folder of a run that isn't in the store.
func (c *Collector) unknownRun(e fs.DirEntry, folder string) {
	info, err := e.Info()
	if err != nil || time.Since(info.ModTime()) < strange {
		return
	}
	c.remove(Removal{Kind: KindJournal, Name: e.Name(), Why: "the store has no such run", Bytes: size(folder)}, func() error {
		return os.RemoveAll(folder)
	})
}

// oldRun removes what is kept of an old run, and leaves a note in the place of its
// journal's copy. A journal that may still be in its sandbox is looked after first,
// by the run's driver.
func (c *Collector) oldRun(ctx context.Context, run store.Run, folder string) error {
	copied := filepath.Join(folder, "journal")
	if !journal.Settled(copied) {
		_, err := c.Engine.Store.Sandbox(ctx, run.Sandbox)
		if err == nil {
			return nil
		}
		if !errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("look up sandbox: %w", err)
		}
	}
	if cleared(folder) {
		return nil
	}
	ago := time.Since(run.Finished)
	why := fmt.Sprintf("ended %s ago, --keep-runs is %s", ago.Round(time.Second), Days(c.Options.Journals))
	c.remove(Removal{Kind: KindJournal, Name: run.ID, Why: why, Bytes: size(folder)}, func() error {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := os.RemoveAll(filepath.Join(folder, e.Name())); err != nil {
				return err
			}
		}
		note := fmt.Sprintf("sandlot gc removed it on %s", time.Now().UTC().Format(time.DateOnly))
		return errors.Join(journal.NoCopy(copied, note), journal.Settle(copied))
	})
	return nil
}

// cleared reports whether nothing but the note of an earlier collection is there.
func cleared(folder string) bool {
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 || entries[0].Name() != "journal" {
		return false
	}
	c, err := journal.ReadCopied(filepath.Join(folder, "journal"))
	return err == nil && len(c.Files) == 0 && journal.Settled(filepath.Join(folder, "journal"))
}
