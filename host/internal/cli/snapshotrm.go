package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

func (a *app) snapshotRmCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "rm ID...",
		Short: "Remove snapshots",
		Long: "Remove snapshots, of any kind. ID is a snapshot's id or an unambiguous start of it, with or\n" +
			"without the name of the algorithm before it. Sandboxes that were made of one stay. All that can be\n" +
			"removed are; the exit code is 1 if one couldn't.",
		Example: "  sandlot snapshot rm 4f5b9c1d2e3a",
		Args:    args(1, 100, "the ids of snapshots"),
		RunE:    func(c *cobra.Command, ids []string) error { return a.snapshotRm(c.Context(), ids) },
	}
}

func (a *app) snapshotRm(ctx context.Context, ids []string) error {
	over, err := a.makeRoom()
	if err != nil {
		return err
	}
	defer over()
	st, _, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	engine, err := a.stderrEngine(st)
	if err != nil {
		return err
	}
	var failed []error
	for _, id := range ids {
		row, err := a.removeSnapshot(ctx, st, engine, id)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if a.flags.json {
			err = a.line(map[string]string{"type": "removed", "snapshot": row.ID})
		} else {
			_, err = fmt.Fprintf(a.world.Stdout, "snapshot %s is removed\n", row.ID)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}

func (a *app) removeSnapshot(ctx context.Context, st *store.Store, engine *runs.Engine, id string) (store.SnapshotRow, error) {
	row, err := findSnapshot(ctx, st, id)
	if err == nil {
		err = engine.DropSnapshot(ctx, row)
	}
	return row, err
}
