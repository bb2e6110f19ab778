package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// completer gives the candidates for a word that a person has begun. It is quiet:
// where something goes wrong there are none.
type completer func(a *app, c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective)

// argumentCompleters says what the arguments of each verb are, in order; the last one
// stands for all further ones.
func argumentCompleters() map[string][]completer {
	anyRun := runsThat(func(store.Run) bool { return true })
	liveRun := runsThat(func(r store.Run) bool { return !r.Status.Terminal() })
	endedRun := runsThat(func(r store.Run) bool { return r.Status.Terminal() })
	waitingRun := runsThat(func(r store.Run) bool { return !r.Status.Terminal() && r.WaitingOn != "" })
	return map[string][]completer{
		"attach": {anyRun, nothing}, "cancel": {liveRun, nothing}, "diff": {endedRun, nothing}, "logs": {endedRun, nothing},
		"approve": {waitingRun, request, nothing}, "deny": {waitingRun, request, nothing},
		"destroy": {oneSandbox, nothing}, "exec": {oneSandbox, files}, "git": {oneSandbox, nothing}, "port": {oneSandbox, nothing},
		"watch": {oneSandbox, nothing}, "cp": {sandboxOrFile}, "fork": {sandboxOrSnapshot, nothing},
		"snapshot create": {oneSandbox, nothing}, "snapshot rm": {snapshot},
		"fmt": {sources}, "plugin docs": {pluginType, nothing}, "policy explain": {nothing},
	}
}

// flagCompleters says what the values of flags are, whichever verb has them.
func flagCompleters() map[string]completer {
	return map[string]completer{
		"file": sources, "var-file": sources, "plugin-dir": folders, "var": variable, "log-level": oneOf(logLevels()...),
		"sandbox": block, "policy": policyBlock, "harness": harnessBlock, "thread": thread, "approve": oneOf("ask", "yes", "no"), "scope": oneOf("once", "run", "thread"), "withdraw": standing,
		"kind": oneOf("provider", "harness"), "prompt-file": files, "schema": files, "run-id": nothing, "since": nothing,
		"label": nothing, "local": nothing,
	}
}

// completions has every verb below c complete its arguments and flags.
func (a *app) completions(c *cobra.Command) {
	of := func(f completer) cobra.CompletionFunc {
		return func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return f(a, c, args, begun)
		}
	}
	list := argumentCompleters()[strings.TrimPrefix(c.CommandPath(), "sandlot ")]
	if c.ValidArgs == nil {
		c.ValidArgsFunction = func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(list) == 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return list[min(len(args), len(list)-1)](a, c, args, begun)
		}
	}
	known := flagCompleters()
	register := func(f *pflag.Flag) {
		if complete := known[f.Name]; complete != nil {
			_ = c.RegisterFlagCompletionFunc(f.Name, of(complete)) // fails only for a flag that isn't there, or twice
		}
	}
	c.LocalFlags().VisitAll(register)
	for _, below := range c.Commands() {
		a.completions(below)
	}
}

func nothing(*app, *cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func files(*app, *cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

func folders(*app, *cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// sources are files of configuration, and folders.
func sources(*app, *cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"hcl"}, cobra.ShellCompDirectiveFilterFileExt
}

func oneOf(words ...string) completer {
	return func(*app, *cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}
