package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// shells are those that completions can be made for.
func shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

type completionLine struct {
	Type   string `json:"type"` // "completion"
	Shell  string `json:"shell"`
	Script string `json:"script"`
}

func (a *app) completionCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "completion " + strings.Join(shells(), "|"),
		Short: "Print a script that lets a shell complete sandlot's commands",
		Long: "Print a script that lets a shell complete commands and flags, and also runs, sandboxes, threads,\n" +
			"blocks of the configuration and plugins, as they are when the key is pressed.\n\n" +
			"  bash        source <(sandlot completion bash)\n" +
			"              needs the package bash-completion; put the line into ~/.bashrc to keep it\n" +
			"  zsh         sandlot completion zsh >\"${fpath[1]}/_sandlot\"\n" +
			"              needs `autoload -U compinit; compinit` in ~/.zshrc\n" +
			"  fish        sandlot completion fish >~/.config/fish/completions/sandlot.fish\n" +
			"  powershell  sandlot completion powershell | Out-String | Invoke-Expression",
		Example:   "  source <(sandlot completion bash)\n  sandlot completion fish >~/.config/fish/completions/sandlot.fish",
		ValidArgs: shells(),
		Args: func(_ *cobra.Command, got []string) error {
			if len(got) != 1 || !slices.Contains(shells(), got[0]) {
				return usagef("sandlot completion takes the name of a shell: %s; see sandlot completion --help", strings.Join(shells(), ", "))
			}
			return nil
		},
		RunE: func(c *cobra.Command, got []string) error {
			var script bytes.Buffer
			var err error
			switch root := c.Root(); got[0] {
			case "bash":
				err = root.GenBashCompletionV2(&script, true)
			case "zsh":
				err = root.GenZshCompletion(&script)
			case "fish":
				err = root.GenFishCompletion(&script, true)
			case "powershell":
				err = root.GenPowerShellCompletionWithDesc(&script)
			}
			if err != nil {
				return fmt.Errorf("make script: %w", err)
			}
			text, err := safely(got[0], script.String())
			if err != nil {
				return fmt.Errorf("make script: %w", err)
			}
			if a.flags.json {
				return a.line(completionLine{"completion", got[0], text})
			}
			if _, err := a.world.Stdout.WriteString(text); err != nil {
				return fmt.Errorf("write output: %w", err)
			}
			return nil
		},
	}
}
