package runs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/journal"
	"github.com/sandlot-dev/sandlot/host/internal/secrets"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/host/internal/watch"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// ArchiveTimeout bounds what is done for the journal of a run that has ended.
const ArchiveTimeout = 60 * time.Second

// journalFolder is the host's copy of a run's journal.
func journalFolder(st *store.Store, run string) string {
	return filepath.Join(filepath.Dir(st.Path()), "runs", run, "journal")
}

// archive copies the journal of the run, whose terminal event is written, to the
// host and removes it from the sandbox. The run has its end: what goes wrong is
// logged, and is made good by the next one to look at the run.
func (d *drive) archive(ctx context.Context, sb sandbox.Sandbox) {
	d.archived = true
	if err := d.Engine.archive(ctx, d.run, d.record.Spec, sb); err != nil {
		d.Log.Warn("the run's journal stays in its sandbox for now", "error", err)
	}
}

// rescue copies the journal before its sandbox is destroyed.
func (d *drive) rescue(ctx context.Context, prov Provider, id string) {
	ctx, cancel := context.WithTimeout(ctx, ArchiveTimeout)
	defer cancel()
	sb, err := prov.Resume(ctx, sandbox.ResumeRequest{ID: id})
	if err == nil {
		err = d.copyJournal(ctx, d.run, d.record.Spec, sb)
	}
	if err != nil && !errors.Is(err, sandbox.Gone) {
		d.Log.Warn("the run's journal is lost with its sandbox", "error", err)
	}
}

// leave looks after the journal where the attempt that ended the run had no
// sandbox at hand.
func (d *drive) leave(ctx context.Context) {
	if d.archived || d.record == nil {
		return
	}
	run, err := d.Store.Run(ctx, d.id)
	if err == nil {
		err = d.settle(ctx, run, d.record.Spec, nil)
	}
	if err != nil {
		d.Log.Warn("the run's journal stays in its sandbox for now", "error", err)
	}
}

// unsettled reports whether a sandbox of ours may still hold the run's journal.
func unsettled(ctx context.Context, st *store.Store, run store.Run) (bool, error) {
	if run.Sandbox == "" || journal.Settled(journalFolder(st, run.ID)) {
		return false, nil
	}
	row, err := st.Sandbox(ctx, run.Sandbox)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look up sandbox: %w", err)
	}
	return row.ID != "", nil
}

// settle archives the journal of an ended run, if that wasn't done, with a
// provider process of its own if none is given.
func (e *Engine) settle(ctx context.Context, run store.Run, spec *config.Spec, prov Provider) error {
	open, err := unsettled(ctx, e.Store, run)
	if err != nil || !open {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, ArchiveTimeout)
	defer cancel()
	row, err := e.Store.Sandbox(ctx, run.Sandbox)
	if err != nil {
		return fmt.Errorf("look up sandbox: %w", err)
	}
	if prov == nil {
		if prov, err = e.Provider(ctx, spec); err != nil {
			return err
		}
		defer prov.Close()
	}
	sb, err := prov.Resume(ctx, sandbox.ResumeRequest{ID: row.ID})
	if errors.Is(err, sandbox.Gone) {
		folder := journalFolder(e.Store, run.ID)
		if err := journal.NoCopy(folder, "the sandbox is gone, and the journal with it"); err != nil {
			return err
		}
		return journal.Settle(folder)
	}
	if err != nil {
		return fmt.Errorf("resume sandbox %s: %w", row.ID, err)
	}
	return e.archive(ctx, run, spec, sb)
}

// Rescue archives the journals of ended runs that a sandbox still holds, before
// it is destroyed. What can't be had is logged: it isn't a reason to keep the
// sandbox.
func (e *Engine) Rescue(ctx context.Context, prov Provider, row store.SandboxRow) error {
	var open []store.Run
	err := e.Store.EachRun(ctx, store.RunFilter{}, func(r store.Run) error {
		if r.Sandbox == row.Key && r.Status.Terminal() && !journal.Settled(journalFolder(e.Store, r.ID)) {
			open = append(open, r)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for runs of sandbox %s: %w", row.ID, err)
	}
	ctx, cancel := context.WithTimeout(ctx, ArchiveTimeout)
	defer cancel()
	for _, run := range open {
		record, err := decodeRecord(run.Spec)
		if err == nil {
			err = e.settle(ctx, run, record.Spec, prov)
		}
		if err != nil {
			e.Log.Warn("a run's journal is lost with its sandbox", "run", run.ID, "error", err)
		}
	}
	return nil
}

// archive copies a journal, and removes it once the copy is on the disk, with
// what was kept for the diff.
func (e *Engine) archive(ctx context.Context, run store.Run, spec *config.Spec, sb sandbox.Sandbox) error {
	ctx, cancel := context.WithTimeout(ctx, ArchiveTimeout)
	defer cancel()
	if err := e.copyJournal(ctx, run, spec, sb); err != nil {
		return err
	}
	j, err := journalIn(sb, run.ID)
	if err == nil {
		err = errors.Join(j.Remove(ctx), watch.Workspace{Sandbox: sb, Run: run.ID}.Forget(ctx))
	}
	if err != nil && !errors.Is(err, sandbox.Unsupported) { // without files there was nothing
		return err
	}
	return journal.Settle(journalFolder(e.Store, run.ID))
}

func (e *Engine) copyJournal(ctx context.Context, run store.Run, spec *config.Spec, sb sandbox.Sandbox) error {
	folder := journalFolder(e.Store, run.ID)
	j, err := journalIn(sb, run.ID)
	if errors.Is(err, sandbox.Unsupported) {
		return journal.NoCopy(folder, "the sandbox has no files, so there was no journal")
	}
	if err != nil {
		return err
	}
	set, missing, err := e.resolveSome(ctx, spec)
	if err != nil {
		return err
	}
	if scrubbed(spec, missing) {
		if !lostForGood(spec, missing) {
			return fmt.Errorf("scrub the journal: %w", missing)
		}
		return journal.NoCopy(folder, "a secret with a value in the configuration can't be had after its driver, so the journal couldn't be scrubbed of it; it was removed")
	}
	return j.Copy(ctx, folder, journal.CopyOptions{
		Overlap: set.Redactor().Longest(),
		Scrub:   func() journal.Scrubber { return set.Redactor().Lines() },
	})
}

// journalIn is a run's journal in its sandbox.
func journalIn(sb sandbox.Sandbox, run string) (*journal.Journal, error) {
	files, err := sandbox.As[sandbox.Filer](sb)
	if err != nil {
		return nil, err
	}
	return journal.Open(files.Files(), sb.Info().StateDir, run), nil
}

// lostForGood reports whether a secret that is missing, and would have to be
// scrubbed, was handed over once and is kept nowhere.
func lostForGood(spec *config.Spec, missing error) bool {
	for _, name := range namesOf(missing) {
		if s := spec.Secrets[name]; s.Value && s.Redact {
			return true
		}
	}
	return false
}

var _ journal.Scrubber = (*secrets.Lines)(nil)
