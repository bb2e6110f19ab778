package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/host/internal/watch"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// Diff is what a run's agent changed, as its log has it.
type Diff struct {
	Files, Added, Removed int       // files, and lines of those that are text
	Patch                 io.Reader // bytes of a git patch; nil if nothing was changed
	Warnings              []string  // what the patch doesn't show, or why it may not apply
	Note                  string    // why there is nothing, where that isn't plain

	payload io.Closer
}

// Close closes the patch.
func (d *Diff) Close() error {
	if d.payload == nil {
		return nil
	}
	if err := d.payload.Close(); err != nil {
		return fmt.Errorf("close diff: %w", err)
	}
	return nil
}

// endings is how many events at a run's end can be about its diff, and more.
const endings = 16

// OpenDiff finds what an ended run changed. The error says what to do where the
// run goes on, or why nobody knows.
func OpenDiff(ctx context.Context, st *store.Store, run store.Run) (*Diff, error) {
	if !run.Status.Terminal() {
		return nil, fmt.Errorf("show diff of run %s: it goes on, and what it changed is told at its end; "+
			"wait for that with `sandlot attach %s`, or end it with `sandlot cancel %s`", run.ID, run.ID, run.ID)
	}
	events, err := st.LastEvents(ctx, run.ID, endings)
	if err != nil {
		return nil, fmt.Errorf("show diff of run %s: %w", run.ID, err)
	}
	d := &Diff{}
	var at int64
	for _, e := range slices.Backward(events) {
		if e.Source != store.Host {
			continue
		}
		if bytes.HasPrefix(e.Payload, []byte(diffEvent)) {
			at = e.Seq
			continue
		}
		switch code, text := warned(e.Payload); code {
		case codeDiffMissing:
			return nil, fmt.Errorf("show diff of run %s: %s", run.ID, text)
		case codeDiffIncomplete, codeDiffScrubbed:
			d.Warnings = append(d.Warnings, text)
		}
	}
	if at == 0 {
		return d, d.nothing(run)
	}
	payload, err := st.OpenPayload(ctx, run.ID, at)
	if err != nil {
		return nil, fmt.Errorf("show diff of run %s: %w", run.ID, err)
	}
	value, patch, err := watch.Decode(payload)
	if err != nil {
		_ = payload.Close()
		return nil, fmt.Errorf("show diff of run %s: %w", run.ID, err)
	}
	d.Files, d.Added, d.Removed, d.Patch, d.payload = value.Files, value.Added, value.Removed, patch, payload
	return d, nil
}

// nothing says why there is no diff.
func (d *Diff) nothing(run store.Run) error {
	l, err := previous(run)
	switch {
	case err != nil:
		return err
	case l == nil:
		d.Note = "its agent was never started"
	case l.Baseline == nil && l.NoBaseline == "":
		return fmt.Errorf("show diff of run %s: the build that drove it kept no diffs", run.ID)
	}
	return nil
}

func warned(payload []byte) (code, text string) {
	event, err := agui.Unmarshal(payload)
	if err != nil {
		return "", ""
	}
	var w agui.Warning
	if c, ok := event.(agui.Custom); !ok || c.Name != agui.CustomWarning || json.Unmarshal(c.Value, &w) != nil {
		return "", ""
	}
	return w.Code, w.Text
}

// TextOf is a patch as JSON can hold it: one that isn't UTF-8 is
// percent-escaped.
func TextOf(patch []byte) (text string, escaped bool) { return watch.Text(patch) }
