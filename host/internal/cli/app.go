package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/host/internal/reserve"
	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// app is one invocation.
type app struct {
	world World
	flags struct {
		file      string
		inputs    []config.Input
		pluginDir string
		json      bool
		noColor   bool
		logLevel  string
	}
	wroteVersion bool
	full         bool               // the disk of the host's folder was full: the reserve is given up
	helpErr      error              // of writing --help
	inRaw        atomic.Bool        // the terminal passes on every key, and draws what it is given
	installed    []*plugins.Plugins // those that were asked for, to be closed
	mask         *runs.Mask         // takes the secrets that it has used out of errors, notes and the log
}

// Main runs the program and returns its exit code.
func Main(ctx context.Context, w World) int {
	a := &app{world: w, mask: &runs.Mask{To: w.Stderr}}
	root := a.root()
	root.SetArgs(w.Args)
	root.SetIn(w.Stdin)
	root.SetOut(w.Stdout)
	root.SetErr(w.Stderr)
	ran, err := root.ExecuteContextC(ctx)
	if e, ok := errors.AsType[*exitErr](err); err != nil && passesCodes(ran) && (!ok || !e.quiet && e.code == exitUsage) { // others are of signals
		err = &exitErr{code: exitExec, err: err}
	}
	if err == nil {
		err = a.helpErr
	}
	for _, p := range a.installed {
		p.Close()
	}
	if err == nil {
		return exitOK
	}
	if e, ok := errors.AsType[*exitErr](err); !ok || !e.quiet {
		a.report(err)
	}
	return codeOf(err)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "sandlot",
		Short: "Run coding agents in sandboxes, from an HCL file",
		Long: "Sandlot runs coding agents inside sandboxes described in an HCL file.\n" +
			"A run survives a closed terminal and a killed host; cancel really stops the agent.",
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args:              cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, got []string) error {
			if len(got) == 0 {
				return c.Help()
			}
			return unknownVerb(c, got[0])
		},
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if err := noneEmpty(c); err != nil {
				return err
			}
			_, err := a.level()
			return err
		},
	}
	f := root.PersistentFlags()
	f.StringVarP(&a.flags.file, "file", "f", "", "configuration `FILE|DIR` (default: the working directory)")
	f.Var(&inputFlag{&a.flags.inputs, false}, "var", "value of a variable, `NAME=VALUE`; may be repeated")
	f.Var(&inputFlag{&a.flags.inputs, true}, "var-file", "`FILE` of variable values; may be repeated, the last one wins")
	f.StringVar(&a.flags.pluginDir, "plugin-dir", "", "`DIR` searched for plugins first")
	f.BoolVar(&a.flags.json, "json", false, "print NDJSON, the first line tells the version")
	f.BoolVar(&a.flags.noColor, "no-color", false, "print without colours")
	f.StringVar(&a.flags.logLevel, "log-level", "warn", "`LEVEL` of the log: trace, debug, info, warn, error")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		a.lateJSON()
		return usagef("%w; see %s --help", err, c.CommandPath())
	})
	root.AddCommand(
		a.planCmd(),
		a.runCmd(),
		a.attachCmd(),
		a.cancelCmd(),
		a.approveCmd(),
		a.denyCmd(),
		a.approvalsCmd(),
		a.diffCmd(),
		a.runsCmd(),
		a.psCmd(),
		a.logsCmd(),
		a.destroyCmd(),
		a.upCmd(),
		a.gcCmd(),
		a.execCmd(),
		a.cpCmd(),
		a.gitCmd(),
		a.portCmd(),
		a.snapshotCmd(),
		a.forkCmd(),
		a.validateCmd(),
		a.fmtCmd(),
		a.pluginCmd(),
		a.policyCmd(),
		a.doctorCmd(),
		a.completionCmd(),
		a.versionCmd(),
		a.driveCmd(),
	)
	a.helps(root)
	a.completions(root)
	return root
}

func unknownVerb(c *cobra.Command, verb string) error {
	hint := "see " + c.CommandPath() + " --help"
	c.SuggestionsMinimumDistance = min(2, len(verb)-1) // each verb of two letters is two changes away from a word of one
	if like := c.SuggestionsFor(verb); len(like) > 0 && verb != "" {
		hint = "did you mean " + strings.Join(like, " or ") + "?"
	}
	return usagef("there is no command %q; %s", verb, hint)
}

// args checks the number of arguments, with a message that says what they are.
func args(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, got []string) error {
		if len(got) < least || len(got) > most {
			return usagef("%s takes %s; see %s --help", c.CommandPath(), what, c.CommandPath())
		}
		return nil
	}
}

// report writes an error for a person.
func (a *app) report(err error) {
	err = a.advised(err)
	text := a.mask.Text(err.Error())
	if a.flags.json {
		// A stdout that can't be written is perhaps what err is about.
		_ = a.line(errorLine{"error", text, codeOf(err)})
	}
	p := paint{a.color(a.world.Stderr)}
	fmt.Fprintf(a.world.Stderr, "%s %s\n", p.red("error:"), indented(text))
}

// openStore opens the store in the host's folder, making both if need be.
func (a *app) openStore(ctx context.Context) (*store.Store, string, error) {
	home, err := a.world.home()
	if err != nil {
		return nil, "", err
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, "", fmt.Errorf("make folder for state: %w; set SANDLOT_HOME to a folder that can be written", err)
	}
	st, err := store.Open(ctx, filepath.Join(home, "store.db"))
	if errors.Is(err, fs.ErrPermission) {
		return nil, "", fmt.Errorf("%w; sandlot doctor tells what to do, or set SANDLOT_HOME to a folder that can be written", err)
	}
	if err != nil {
		return nil, "", err
	}
	if !a.full {
		_ = reserve.Keep(home) // without one a full disk is worse, and nothing else
	}
	return st, home, nil
}

// findRun finds a run by its id or the start of it.
func findRun(ctx context.Context, st *store.Store, ref string) (store.Run, error) {
	run, err := st.FindRun(ctx, ref)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return run, fmt.Errorf("find run %q: there is none with that id or start of an id in %s", ref, st.Path())
	case err != nil:
		return run, fmt.Errorf("find run: %w", err)
	}
	return run, nil
}
