package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

type runFlags struct {
	promptFile string
	sandbox    string
	thread     string
	resume     bool
	harness    string
	detach     bool
	approve    string
	answered   bool // approve was given
	runID      string
	schema     string
}

func (a *app) runCmd() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run [PROMPT]",
		Short: "Run the agent once on a prompt",
		Long: "Run the agent once on a prompt, given as argument, with --prompt-file, or on stdin.\n\n" +
			"Text of the agent goes to stdout, progress to stderr. The run is driven by a process of\n" +
			"its own: closing the terminal leaves it going (sandlot attach shows it again), the first\n" +
			"Ctrl-C cancels it, the second stops waiting for its end.\n\n" +
			"Exit codes: 0 ok, 1 error, 2 usage or invalid configuration, 3 the agent failed,\n" +
			"4 canceled, 5 denied by policy or approval.",
		Example: "  sandlot run \"Fix the failing test\"\n" +
			"  sandlot run -f agents/ --sandbox review --thread pr-17 --prompt-file prompt.md\n" +
			"  git diff | sandlot run --approve no --json",
		Args: args(0, 1, "at most one argument, the prompt (quote it)"),
		RunE: func(c *cobra.Command, prompt []string) error {
			f.answered = c.Flags().Changed("approve")
			return a.run(c.Context(), f, prompt)
		},
	}
	s := c.Flags()
	s.StringVar(&f.promptFile, "prompt-file", "", "read the prompt from `FILE` (- is stdin)")
	s.StringVar(&f.sandbox, "sandbox", "", "sandbox `BLOCK` to use (default: the only one)")
	s.StringVar(&f.thread, "thread", "", "`NAME` of the thread to start or go on with (default: a new one)")
	s.BoolVarP(&f.resume, "continue", "c", false, "go on with the project's last thread")
	s.StringVar(&f.harness, "harness", "", "harness `BLOCK` to use instead of the sandbox's own")
	s.BoolVar(&f.detach, "detach", false, "print the run's id and leave it going")
	s.StringVar(&f.approve, "approve", "ask", "answer the agent's requests: ask, yes or no (yes never overrides deny)")
	s.StringVar(&f.runID, "run-id", "", "`ID` of the new run")
	s.StringVar(&f.schema, "schema", "", "have the agent answer by the JSON schema in `FILE`; stdout then has that answer only")
	return c
}

func (f *runFlags) check() error {
	switch runs.Approve(f.approve) {
	case runs.ApproveAsk, runs.ApproveYes, runs.ApproveNo:
	default:
		return usagef("--approve is ask, yes or no, not %q", f.approve)
	}
	if f.resume && f.thread != "" {
		return usagef("--thread and -c exclude each other: -c goes on with the last thread")
	}
	for flag, value := range map[string]string{"--thread": f.thread, "--run-id": f.runID} {
		if err := checkName(flag, value); err != nil {
			return err
		}
	}
	return nil
}

// checkName refuses what can't name a thread or a run; empty is none.
func checkName(flag, value string) error {
	if value == "" || store.ValidName(value) {
		return nil
	}
	return usagef("%s %q: use 1 to 64 letters, digits, dots, underscores and hyphens, starting with a letter or digit", flag, value)
}

func (a *app) run(ctx context.Context, f runFlags, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	project, spec, err := a.block(ctx, f.sandbox, f.harness)
	if err != nil {
		return err
	}
	prompt, err := a.prompt(f, args)
	if err != nil {
		return err
	}
	schema, err := a.schema(ctx, f.schema, spec)
	if err != nil {
		return err
	}
	if err := runs.CheckSecrets(ctx, spec, a.world.env, project.SecretValues()); err != nil {
		return usagef("%w", err)
	}
	if err := a.checkStrict(ctx, spec); err != nil {
		return err
	}
	if !f.answered {
		a.sayNobodyAsked(spec, f.detach)
	}
	st, home, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	if f.resume {
		if f.thread, err = lastThread(ctx, st, spec.Project); err != nil {
			return err
		}
	}
	run, err := runs.Start(ctx, st, runs.Request{
		ID: f.runID, Thread: f.thread, Spec: spec, Prompt: prompt, Approve: runs.Approve(f.approve), Schema: schema,
	})
	if err != nil {
		return a.startError(ctx, st, home, err)
	}
	launch := a.launcher(home, project.SecretValues())
	// Before anything is shown: a reader that fails must not leave a run that
	// nobody drives.
	driver, err := launch(ctx, run.ID)
	if err != nil {
		err = fmt.Errorf("start a driver for run %s: %w", run.ID, err)
		return errors.Join(err, runs.Abandon(ctx, st, run, err))
	}
	if f.detach {
		return a.detach(run, runs.Approve(f.approve))
	}
	return a.follow(ctx, st, run, follow{launch: launch, driver: driver, mine: true, onDisconnect: spec.Lifecycle.OnDisconnect, approve: f.approve})
}

// startError explains why a run can't start. A run that holds the thread and
// has lost its driver gets another one.
func (a *app) startError(ctx context.Context, st *store.Store, home string, err error) error {
	if errors.Is(err, store.ErrExists) {
		return usagef("%w: take another --run-id, or leave it out", err)
	}
	busy, ok := errors.AsType[*store.ThreadBusyError](err)
	if !ok {
		return err
	}
	note := ""
	if run, err := st.Run(ctx, busy.Run); err == nil && !run.Status.Terminal() && !runs.Driven(run) {
		if _, err := a.launcher(home, nil)(ctx, busy.Run); err != nil {
			return fmt.Errorf("start a driver for run %s, which holds thread %q: %w", busy.Run, busy.Thread, err)
		}
		note = " (its driver was gone; another one has been started)"
	}
	return fmt.Errorf("thread %q is busy with run %s%s; wait for it, watch it with `sandlot attach %s`, stop it with `sandlot cancel %s`, or start another thread",
		busy.Thread, busy.Run, note, busy.Run, busy.Run)
}

// checkStrict refuses a strict policy of which a rule would be held by nobody.
func (a *app) checkStrict(ctx context.Context, spec *config.Spec) error {
	if !spec.Policy.Strict {
		return nil
	}
	traits, err := a.traits(ctx, spec)
	if err != nil {
		return err
	}
	if traits == nil {
		traits = &harness.Traits{}
	}
	if err := runs.CheckStrict(spec, *traits); err != nil {
		return usagef("%w", err)
	}
	return nil
}

const mostPrompt = 32 << 20 // bytes

// prompt reads the prompt from where it was given.
func (a *app) prompt(f runFlags, args []string) (string, error) {
	var data []byte
	var err error
	switch {
	case len(args) == 1 && f.promptFile != "":
		return "", usagef("the prompt was given twice: as argument and with --prompt-file")
	case len(args) == 1:
		data = []byte(args[0])
	case f.promptFile != "" && f.promptFile != "-":
		file := f.promptFile
		if !filepath.IsAbs(file) {
			file = filepath.Join(a.world.Dir, file)
		}
		data, err = os.ReadFile(file)
	case f.promptFile == "" && isTerminal(a.world.Stdin):
		return "", usagef("no prompt: give it as argument, with --prompt-file FILE, or on stdin")
	default:
		data, err = io.ReadAll(a.world.Stdin)
	}
	if err != nil {
		return "", usagef("read prompt: %w", err)
	}
	if len(data) > mostPrompt {
		return "", usagef("the prompt has %d bytes, more than the %d that can be handed over; put it into a file of the workspace", len(data), mostPrompt)
	}
	if strings.TrimSpace(string(data)) == "" {
		return "", usagef("the prompt is empty; give it as an argument, with --prompt-file, or on stdin")
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), nil
}

// detach tells how to find the run again, and leaves.
func (a *app) detach(run store.Run, approve runs.Approve) error {
	if a.flags.json {
		return a.runLine(run)
	}
	fmt.Fprintf(a.world.Stderr, "thread %s; watch it with: sandlot attach %s\n", run.ThreadName, run.ID)
	if approve == runs.ApproveAsk {
		fmt.Fprintf(a.world.Stderr, "what it asks is shown by sandlot runs; answer with: sandlot approve %[1]s or sandlot deny %[1]s\n", run.ID)
	}
	_, err := fmt.Fprintln(a.world.Stdout, run.ID)
	return err
}
