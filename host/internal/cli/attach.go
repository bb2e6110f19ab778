package cli

import (
	"github.com/spf13/cobra"
)

func (a *app) attachCmd() *cobra.Command {
	var since int64
	c := &cobra.Command{
		Use:   "attach RUN",
		Short: "Show a run's events, from the start, and follow them",
		Long: "Show a run's events from the start, or after --since, and follow them to the run's end.\n" +
			"RUN is the run's id or an unambiguous start of it. Ctrl-C leaves the run going.\n" +
			"The exit code is that of the run, as with sandlot run.",
		Example: "  sandlot attach 019ac5f2\n  sandlot attach 019ac5f2 --json --since 40",
		Args:    args(1, 1, "one argument, the run"),
		RunE: func(c *cobra.Command, ref []string) error {
			if since < 0 {
				return usagef("--since %d: sequence numbers start at 1", since)
			}
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
			return a.follow(ctx, st, run, follow{launch: a.launcher(home, nil), since: since, approve: "ask"})
		},
	}
	c.Flags().Int64Var(&since, "since", 0, "show only events after this sequence `NUMBER`")
	return c
}
