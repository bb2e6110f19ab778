package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

func (a *app) snapshotListCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the snapshots that this store knows",
		Long: "List the snapshots that this store knows, the newest first, of all projects. KIND is what a snapshot\n" +
			"was made for: after setup (new sandboxes start from it), after run (its thread goes on from it), or\n" +
			"by hand (sandlot snapshot create). No provider is asked: one that has lost a snapshot is found out\n" +
			"when it is used, or by sandlot gc.",
		Example: "  sandlot snapshot list\n  sandlot snapshot list --json",
		Args:    args(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			st, _, err := a.openStore(c.Context())
			if err != nil {
				return err
			}
			defer st.Close()
			return a.snapshotList(c.Context(), st)
		},
	}
}

func (a *app) snapshotList(ctx context.Context, st *store.Store) error {
	all, err := st.Snapshots(ctx)
	if err != nil {
		return fmt.Errorf("list snapshots: %w", err)
	}
	list, err := st.Threads(ctx)
	if err != nil {
		return fmt.Errorf("list snapshots: %w", err)
	}
	threads := map[string]store.Thread{}
	for _, t := range list {
		threads[t.ID] = t.Thread
	}
	if a.flags.json {
		return lines(a, all, func(r store.SnapshotRow) snapshotLine { return snapshotLineOf(r, threads) })
	}
	if len(all) == 0 {
		fmt.Fprintln(a.world.Stderr, "no snapshots")
		return nil
	}
	var t table
	t.add("SNAPSHOT", "BLOCK", "PROVIDER", "THREAD", "KIND", "AGE", "SIZE", "LABEL")
	now := time.Now()
	for _, r := range all {
		size := ""
		if r.Size >= 0 {
			size = bytesWords(r.Size)
		}
		label := r.Label
		if r.Kind != store.SnapshotHand {
			label = "" // it only says the kind again
		}
		t.add(sandboxes.ShortID(r.ID), r.Block, r.Type, threads[r.Thread].Name, kindOf(r), ago(r.Created, now), size, oneLine(label, 60))
	}
	return t.write(a.world.Stdout)
}

type snapshotLine struct {
	Type     string    `json:"type"` // "snapshot"
	Snapshot string    `json:"snapshot"`
	Kind     string    `json:"kind"` // "setup", "run", "hand"
	Block    string    `json:"block"`
	Provider string    `json:"provider"`
	Project  string    `json:"project,omitempty"`
	Thread   string    `json:"thread,omitempty"`
	Sandbox  string    `json:"sandbox"` // of which it was made
	Label    string    `json:"label,omitempty"`
	Size     *int64    `json:"size,omitempty"` // bytes; not there where it can't be told
	Created  time.Time `json:"created"`
}

func snapshotLineOf(r store.SnapshotRow, threads map[string]store.Thread) snapshotLine {
	l := snapshotLine{
		Type: "snapshot", Snapshot: r.ID, Kind: string(r.Kind), Block: r.Block, Provider: r.Type,
		Project: threads[r.Thread].Project, Thread: threads[r.Thread].Name, Sandbox: r.Sandbox, Label: r.Label, Created: r.Created.UTC(),
	}
	if r.Size >= 0 {
		l.Size = &r.Size
	}
	return l
}
