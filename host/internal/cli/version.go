package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  sandlot version\n  sandlot version --json",
		Args:    args(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			v := a.versionLine()
			if a.flags.json {
				a.wroteVersion = true
				return a.line(v)
			}
			_, err := fmt.Fprintf(a.world.Stdout, "sandlot %s (%s, %s)\n", v.Version, v.Go, v.Platform)
			return err
		},
	}
}

func (a *app) versionLine() versionLine {
	return versionLine{"version", a.world.Version, protocol, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
}
