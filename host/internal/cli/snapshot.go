package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// snapshotCmd is the parent of what is about snapshots.
func (a *app) snapshotCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "snapshot",
		Short: "Keep copies of a sandbox's files, where its provider can",
		Long: "Keep copies of a sandbox's files, where its provider can. Those that lifecycle.snapshot asks for are\n" +
			"made, used and removed by themselves; these verbs are for your own, and to look at all.",
		Example: "  sandlot snapshot create quickstart --label 'before the upgrade'\n  sandlot snapshot list",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, got []string) error {
			if len(got) == 0 {
				return c.Help()
			}
			return unknownVerb(c, got[0])
		},
	}
	c.AddCommand(a.snapshotCreateCmd(), a.snapshotListCmd(), a.snapshotRmCmd())
	return c
}

// findSnapshot finds the one snapshot that a person means.
func findSnapshot(ctx context.Context, st *store.Store, ref string) (store.SnapshotRow, error) {
	rows, err := st.FindSnapshots(ctx, ref)
	switch {
	case err != nil:
		return store.SnapshotRow{}, fmt.Errorf("find snapshot %q: %w", ref, err)
	case len(rows) == 0:
		return store.SnapshotRow{}, fmt.Errorf("find snapshot %q: there is none with that id or start of an id in %s; sandlot snapshot list tells which there are", ref, st.Path())
	case len(rows) > 1:
		return store.SnapshotRow{}, severalFit(ref, rows)
	}
	return rows[0], nil
}

func severalFit(ref string, rows []store.SnapshotRow) error {
	var which []string
	for _, r := range rows {
		which = append(which, fmt.Sprintf("%s (%s of block %s)", r.ID, kindOf(r), r.Block))
	}
	return fmt.Errorf("find snapshot %q: several fit, name one of them by its id:\n%s", ref, strings.Join(which, "\n"))
}

// kindOf says what a snapshot was made for.
func kindOf(r store.SnapshotRow) string {
	return map[store.SnapshotKind]string{
		store.SnapshotSetup: "after setup", store.SnapshotRun: "after run", store.SnapshotHand: "by hand",
	}[r.Kind]
}

// copyPhase shows how a snapshot or fork goes.
func (a *app) copyPhase(p sandboxes.Phase) {
	if p.State == "progress" {
		a.dim("%s: %s", p.Name, oneLine(p.Detail, 200))
	}
}
