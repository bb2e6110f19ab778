package cli

import "github.com/spf13/cobra"

// policyCmd is the parent of what is about policies.
func (a *app) policyCmd() *cobra.Command {
	c := &cobra.Command{
		Use:     "policy",
		Short:   "Look at what a policy decides",
		Example: "  sandlot policy explain 'git diff | less'",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, got []string) error {
			if len(got) == 0 {
				return c.Help()
			}
			return unknownVerb(c, got[0])
		},
	}
	c.AddCommand(a.policyExplainCmd())
	return c
}
