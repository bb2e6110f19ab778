package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
)

func (a *app) pluginListCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List every plugin program found, and why one isn't used",
		Long: "List every file with the name of a plugin in the folders that are searched, in the order of\n" +
			"the search: what it is, its version, path and checksum, and why it isn't used if it isn't.",
		Example: "  sandlot plugin list\n  sandlot plugin list --plugin-dir ./bin/plugins --json",
		Args:    args(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			installed, err := a.plugins()
			if err != nil {
				return err
			}
			list := installed.Inspect(c.Context(), a.world.Environ)
			if a.flags.json {
				return lines(a, list, pluginLineOf)
			}
			return a.pluginList(installed, list)
		},
	}
}

func (a *app) pluginList(installed *plugins.Plugins, list []plugins.Inspection) error {
	if len(list) == 0 {
		fmt.Fprintf(a.world.Stderr, "no plugins in %s\n", strings.Join(installed.Folders(), ", "))
		return nil
	}
	p := paint{a.color(a.world.Stdout)}
	var out strings.Builder
	for _, i := range list {
		state, why := usable(i)
		color := map[string]func(string) string{"used": p.green, "shadowed": p.dim, "refused": p.red}[state]
		fmt.Fprintf(&out, "%s %s %s %s\n", i.Kind, p.bold(i.Type), or(oneLine(i.Version, 40), "-"), color(state))
		if why != "" {
			fmt.Fprintf(&out, "  %s\n", indented(why))
		}
		fmt.Fprintf(&out, "  %s\n  sha256 %s\n", printable(i.Path), or(i.SHA256, "-"))
	}
	if _, err := a.world.Stdout.WriteString(out.String()); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// usable says whether a plugin is used, and why not.
func usable(i plugins.Inspection) (state, why string) {
	switch {
	case i.Refused != "" && i.Fix != "":
		return "refused", i.Refused + "; mend it with: " + i.Fix
	case i.Refused != "":
		return "refused", i.Refused
	case i.Problem != "":
		return "refused", i.Problem
	case i.Behind != "":
		return "shadowed", "an earlier folder has " + i.Behind
	}
	return "used", ""
}

type pluginLine struct {
	Type    string `json:"type"` // "plugin"
	Kind    string `json:"kind"`
	Name    string `json:"name"` // its type in the configuration
	Version string `json:"version,omitempty"`
	State   string `json:"state"` // "used", "shadowed", "refused"
	Why     string `json:"why,omitempty"`
	Path    string `json:"path"`
	SHA256  string `json:"sha256,omitempty"`
	Behind  string `json:"behind,omitempty"` // path of the one in its place
}

func pluginLineOf(i plugins.Inspection) pluginLine {
	state, why := usable(i)
	return pluginLine{"plugin", string(i.Kind), i.Type, i.Version, state, why, i.Path, i.SHA256, i.Behind}
}
