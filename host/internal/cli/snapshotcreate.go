package cli

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

func (a *app) snapshotCreateCmd() *cobra.Command {
	var label string
	c := &cobra.Command{
		Use:   "create SANDBOX",
		Short: "Keep a snapshot of a sandbox, and print its id",
		Long: "Keep a copy of the files of a sandbox, as they are now, and print its id. It stays until\n" +
			"sandlot snapshot rm; sandlot fork makes a sandbox of it. SANDBOX is its id, an unambiguous start\n" +
			"of it, or the name of a sandbox block of which only one instance exists.\n\n" +
			"What a provider does to running processes meanwhile, it says: with docker they stand still for\n" +
			"a moment. Where they would be ended, a sandbox with a live run is refused.",
		Example: "  sandlot snapshot create quickstart --label 'before the upgrade'",
		Args:    args(1, 1, "one argument, the sandbox"),
		RunE:    func(c *cobra.Command, ref []string) error { return a.snapshotCreate(c.Context(), ref[0], label) },
	}
	c.Flags().StringVar(&label, "label", "", "one line of `TEXT` for you to know it by")
	return c
}

// longestLabel is how many characters a label may have.
const longestLabel = 200

func checkLabel(label string) error {
	switch {
	case len([]rune(label)) > longestLabel:
		return usagef("--label: use at most %d characters", longestLabel)
	case strings.ContainsFunc(label, unicode.IsControl):
		return usagef("--label %q: use one line, without control characters", label)
	}
	return nil
}

func (a *app) snapshotCreate(ctx context.Context, ref, label string) error {
	if err := checkLabel(label); err != nil {
		return err
	}
	ctx, heard := a.untilSignal(ctx)
	defer heard.stop()
	v, done, err := a.visit(ctx, ref, "sandlot snapshot create")
	if err != nil {
		return heard.or(err)
	}
	defer done()
	row, err := v.Snapshot(ctx, label, a.copyPhase)
	if err != nil {
		return heard.or(err)
	}
	if a.flags.json {
		return a.line(snapshotLineOf(row, nil))
	}
	_, err = fmt.Fprintln(a.world.Stdout, row.ID)
	return err
}
