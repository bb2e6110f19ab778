package runs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/host/internal/watch"
	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// diffSlack is what a diff may take beyond its own clock, which stands in the
// sandbox.
const diffSlack = 30 * time.Second

// noteBaseline says what the diff of the run starts from. It is taken once,
// right before the launch is noted: a launch that was noted before may have
// begun, so its baseline holds, or that there is none.
func (p *pump) noteBaseline(l *launched) error {
	prev, err := p.previous()
	if err != nil {
		return err
	}
	if prev != nil {
		l.Baseline, l.NoBaseline = prev.Baseline, prev.NoBaseline
		p.noted = l
		return nil
	}
	ctx, cancel := context.WithTimeout(p.canceled, time.Minute+diffSlack)
	defer cancel()
	base, err := p.workspace(p.sandbox).TakeBaseline(ctx)
	switch {
	case err == nil:
		l.Baseline = &base
	case p.canceled.Err() != nil, errors.Is(err, sandbox.Unavailable), errors.Is(err, sandbox.Gone):
		return err // there is no agent yet, and none is to be started or can be
	default:
		l.NoBaseline = err.Error()
	}
	p.noted = l
	return nil
}

func (d *drive) workspace(sb sandbox.Sandbox) watch.Workspace {
	return watch.Workspace{Sandbox: sb, Run: d.id}
}

// changed is what the log is told of what the agent changed, with the run's
// end and in one transaction, so that it is told once.
type changed struct {
	events []store.Event
	patch  *store.Payload // of one of the events; nil: none
}

// last are the events that come right before the terminal one.
func (c *changed) last() []store.Event {
	if c == nil {
		return nil
	}
	return c.events
}

func (c *changed) close() {
	if c != nil && c.patch != nil {
		_ = c.patch.Close() // at worst a file stays until the next driver of the run
	}
}

// seeChanges compares the workspace of an agent that is dead with what it was.
// Whatever goes wrong is a warning: no run fails for want of a diff.
func (d *drive) seeChanges(ctx context.Context, sb sandbox.Sandbox) {
	if d.changed != nil {
		return
	}
	l := d.noted
	if l == nil {
		var err error
		if l, err = previous(d.run); err != nil || l == nil {
			return
		}
	}
	found := &changed{}
	err := errors.New(l.NoBaseline)
	switch {
	case d.unscrubbed != nil:
		err = fmt.Errorf("it couldn't be scrubbed of secrets: %w", d.unscrubbed)
	case l.Baseline != nil:
		err = d.diff(ctx, sb, *l.Baseline, found)
		if errors.Is(err, sandbox.Unavailable) { // a plugin that died: another one may do
			err = d.diffAgain(ctx, sb.ID(), *l.Baseline, found)
		}
	case l.NoBaseline == "":
		return // begun by a build that knew no diffs
	}
	if ctx.Err() != nil {
		found.close()
		return // a successor will tell
	}
	if err != nil {
		d.Log.Warn("compare workspace", "error", err)
		found.warn(d.log, codeDiffMissing, "what the agent changed in the workspace can't be told: "+err.Error())
	}
	d.changed = found
}

// diffAgain is diff by a provider process of its own.
func (d *drive) diffAgain(ctx context.Context, id string, base watch.Baseline, found *changed) error {
	prov, err := d.Provider(ctx, d.record.Spec)
	if err != nil {
		return err
	}
	defer prov.Close()
	sb, err := prov.Resume(ctx, sandbox.ResumeRequest{ID: id})
	if err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	return d.diff(ctx, sb, base, found)
}

// diff streams the patch through files: it may be larger than memory.
func (d *drive) diff(ctx context.Context, sb sandbox.Sandbox, base watch.Baseline, found *changed) error {
	if err := d.mine(ctx); err != nil { // it would end the diff of a successor
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute+diffSlack)
	defer cancel()
	patch, err := d.Store.NewPayload(d.id, d.epoch)
	if err != nil {
		return err
	}
	defer patch.Close()
	clean := d.scrubbing(patch)
	c, err := d.workspace(sb).Diff(ctx, base, clean)
	if err = errors.Join(err, clean.end()); err != nil {
		return err
	}
	found.leftOut(d.log, c)
	if patch.Size() == 0 {
		return nil
	}
	if clean.scrubbed() {
		found.warn(d.log, codeDiffScrubbed, "secrets were scrubbed from the diff, so that it may not apply")
	}
	value := watch.Value{Files: c.Files, Added: c.Added, Removed: c.Removed, Escaped: !clean.utf8.Valid()}
	if found.patch, err = d.Store.NewPayload(d.id, d.epoch); err != nil {
		return err
	}
	if err := encodeDiff(found.patch, value, patch.Reader()); err != nil {
		return err
	}
	found.events = append(found.events, store.Event{Source: store.Host, Offset: d.log.offset, Whole: found.patch})
	return nil
}

// diffEvent is how a file.changed event begins.
const diffEvent = `{"type":"CUSTOM","name":"` + agui.CustomFileChanged + `","value":`

// encodeDiff writes one.
func encodeDiff(w io.Writer, v watch.Value, patch io.Reader) error {
	if _, err := io.WriteString(w, diffEvent); err != nil {
		return fmt.Errorf("write diff: %w", err)
	}
	if err := v.Encode(w, patch); err != nil {
		return fmt.Errorf("write diff: %w", err)
	}
	if _, err := io.WriteString(w, "}"); err != nil {
		return fmt.Errorf("write diff: %w", err)
	}
	return nil
}
