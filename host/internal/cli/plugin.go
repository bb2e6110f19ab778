package cli

import "github.com/spf13/cobra"

// pluginCmd is the parent of what is about plugins.
func (a *app) pluginCmd() *cobra.Command {
	c := &cobra.Command{
		Use:     "plugin",
		Short:   "Look at the installed plugins",
		Example: "  sandlot plugin list\n  sandlot plugin docs localprocess",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, got []string) error {
			if len(got) == 0 {
				return c.Help()
			}
			return unknownVerb(c, got[0])
		},
	}
	c.AddCommand(a.pluginListCmd(), a.pluginDocsCmd())
	return c
}
