package cli

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

type helpLine struct {
	Type    string `json:"type"`    // "help"
	Command string `json:"command"` // e.g. "sandlot plugin list"
	Text    string `json:"text"`
}

// helps has --help speak JSON where that was asked for.
func (a *app) helps(root *cobra.Command) {
	text := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, got []string) {
		var out bytes.Buffer
		c.SetOut(&out)
		text(c, got)
		c.SetOut(a.world.Stdout)
		if !a.flags.json {
			if _, err := a.world.Stdout.Write(out.Bytes()); err != nil {
				a.helpErr = fmt.Errorf("write output: %w", err)
			}
			return
		}
		a.helpErr = a.line(helpLine{"help", c.CommandPath(), out.String()})
	})
	root.SetHelpCommand(&cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Help about any command",
		Example: "  sandlot help run",
		RunE: func(_ *cobra.Command, got []string) error {
			c, rest, err := root.Find(got)
			if err != nil || c == nil || len(rest) > 0 {
				return unknownVerb(root, got[0])
			}
			return c.Help()
		},
	})
}

// lateJSON takes up a --json that stands behind a flag that made no sense, where
// parsing has ended.
func (a *app) lateJSON() {
	args := a.world.Args
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	a.flags.json = a.flags.json || slices.Contains(args, "--json")
}
