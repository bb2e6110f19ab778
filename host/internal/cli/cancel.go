package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

func (a *app) cancelCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "cancel RUN",
		Short: "Stop a run's agent, wherever it is driven",
		Long: "Stop a run's agent and wait until its whole process tree is gone.\n" +
			"RUN is the run's id or an unambiguous start of it.",
		Example: "  sandlot cancel 019ac5f2",
		Args:    args(1, 1, "one argument, the run"),
		RunE: func(c *cobra.Command, ref []string) error {
			ctx := c.Context()
			st, home, err := a.openStore(ctx)
			if err != nil {
				return err
			}
			defer st.Close()
			run, err := findRun(ctx, st, ref[0])
			if err != nil {
				return err
			}
			before := run.Status
			if !before.Terminal() {
				if run, err = runs.Cancel(ctx, st, run.ID, a.launcher(home, nil)); err != nil {
					return err
				}
			}
			if a.flags.json {
				return a.runLine(run)
			}
			return a.sayCanceled(run, before.Terminal())
		},
	}
}

func (a *app) sayCanceled(run store.Run, already bool) error {
	text := fmt.Sprintf("run %s is canceled", run.ID)
	switch {
	case already:
		text = fmt.Sprintf("run %s has ended already: %s", run.ID, run.Status)
	case run.Status != store.Canceled:
		text = fmt.Sprintf("run %s ended before it could be canceled: %s", run.ID, run.Status)
	}
	if run.Message != "" && run.Status != store.Canceled {
		text += " (" + printable(run.Message) + ")"
	}
	_, err := fmt.Fprintln(a.world.Stdout, text)
	return err
}
