package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// exitExec is the exit code of an exec that failed by itself: all others are the
// command's.
const exitExec = 125

type execFlags struct {
	stdin, tty bool
	env        []string
	dir, user  string
	timeout    time.Duration
}

func (a *app) execCmd() *cobra.Command {
	var f execFlags
	c := &cobra.Command{
		Use:   "exec SANDBOX -- COMMAND [ARG...]",
		Short: "Run a command in a sandbox",
		Long: "Run a command in a sandbox, in its workspace folder, from any directory and also while a run\n" +
			"is at work there. SANDBOX is its id, an unambiguous start of it, or the name of a sandbox block\n" +
			"of which only one instance exists.\n\n" +
			"Its environment, later wins: what the provider gives, the workspace's env, its secrets, -e.\n" +
			"Its output is passed on as it comes, secrets included: it is yours.\n\n" +
			"Ctrl-C ends the command with all that it has started, and a second one doesn't wait for it to\n" +
			"clean up; with -t, Ctrl-C is typed into its terminal. A closed terminal, and a reader of the\n" +
			"output that goes away, end it too. What it leaves in the background is ended with it.\n\n" +
			"Exit codes: the command's own, 128+n if signal n ended it, 126 and 127 if it can't be executed\n" +
			"or isn't found, 124 if --timeout ended it, 125 if sandlot itself failed.",
		Example: "  sandlot exec quickstart -- make test\n" +
			"  sandlot exec -it quickstart -- sh\n" +
			"  git diff | sandlot exec -i quickstart -- git apply -",
		Args: func(_ *cobra.Command, got []string) error {
			if len(got) < 2 {
				return usagef("sandlot exec takes a sandbox and a command: sandlot exec SANDBOX -- COMMAND; see sandlot exec --help")
			}
			return nil
		},
		RunE: func(c *cobra.Command, got []string) error { return a.exec(c.Context(), f, got[0], got[1:]) },
	}
	s := c.Flags()
	s.SetInterspersed(false) // what follows SANDBOX is the command's
	s.BoolVarP(&f.stdin, "interactive", "i", false, "pass stdin on to the command")
	s.BoolVarP(&f.tty, "tty", "t", false, "give the command a terminal")
	s.StringArrayVarP(&f.env, "env", "e", nil, "set a variable, `NAME=VALUE`, or NAME to pass it on; may be repeated")
	s.StringVarP(&f.dir, "workdir", "w", "", "`DIR` to run it in; a relative one is under the workspace")
	s.StringVarP(&f.user, "user", "u", "", "`USER` to run it as (default: the sandbox's)")
	s.DurationVar(&f.timeout, "timeout", 0, "end it after this `TIME`, such as 90s or 1h30m (default: never)")
	return c
}

// passesCodes reports whether a verb's exit codes are another program's: there its
// own failures, however they come about, are exitExec.
func passesCodes(c *cobra.Command) bool {
	return c.Name() == "exec" || c.Name() == "git"
}

func (a *app) exec(ctx context.Context, f execFlags, ref string, argv []string) (err error) {
	if argv[0] == "--" {
		argv = argv[1:]
	}
	if len(argv) == 0 || argv[0] == "" {
		return errors.New("there is no command after the sandbox: sandlot exec SANDBOX -- COMMAND")
	}
	if f.timeout < 0 {
		return fmt.Errorf("--timeout %s: a time can't be negative", f.timeout)
	}
	over, err := a.variables(f.env)
	if err != nil {
		return err
	}
	cmd := sandbox.Command{Argv: argv, Dir: f.dir, User: f.user, Timeout: f.timeout}
	if f.tty {
		if err := a.terminal(f, &cmd); err != nil {
			return err
		}
	}
	for name, value := range cmd.Env {
		if _, given := over[name]; !given {
			over[name] = value
		}
	}
	ctx, heard := a.untilSignal(ctx)
	defer heard.stop()
	v, done, err := a.visit(ctx, ref, "sandlot exec")
	if err != nil {
		return heard.or(err)
	}
	defer done()
	if f.tty && !v.Sandbox().Info().Capabilities.PTY {
		return fmt.Errorf("sandbox %s: provider %s gives no terminals; leave out -t", v.Sandbox().ID(), v.Spec().Provider.Type)
	}
	if cmd.Env, err = v.Env(ctx, over); err != nil {
		return heard.or(fmt.Errorf("%w, or set the variable with -e", err))
	}
	exit, err := a.attached(ctx, v, cmd, f, heard)
	if err != nil {
		return heard.or(err)
	}
	return a.ended(exit, f, argv[0])
}

// variables are those of -e flags.
func (a *app) variables(flags []string) (map[string]string, error) {
	over := map[string]string{}
	for _, flag := range flags {
		name, value, given := cut(flag)
		if name == "" {
			return nil, fmt.Errorf("-e %q: give it as NAME=VALUE, or as NAME to pass it on", flag)
		}
		if !given {
			v, ok := a.world.env(name)
			if !ok {
				return nil, fmt.Errorf("-e %s: that variable isn't set here; set it, or give -e %s=VALUE", name, name)
			}
			value = v
		}
		over[name] = value
	}
	return over, nil
}

// ended tells how a command has ended, where its exit code alone doesn't.
func (a *app) ended(exit sandbox.Exit, f execFlags, program string) error {
	code, known := runs.ExitCode(exit)
	switch {
	case !known:
		return fmt.Errorf("nobody knows how the command ended: %s", or(exit.Message, "the provider doesn't say"))
	case exit.Reason == sandbox.ReasonTimedOut:
		a.note("the command took longer than %s and was ended", f.timeout)
	case exit.OOM:
		a.note("the command was ended for want of memory: %s", or(exit.Message, "the provider doesn't say more"))
	case exit.Message != "" && (code == 126 || code == 127):
		a.note("%s: %s", program, exit.Message)
	}
	if exit.Left != "" {
		a.note("it left running, and that was ended: %s", exit.Left)
	}
	if a.flags.json {
		if err := a.line(execExitLine{"exit", code, string(exit.Reason), exit.Signal, exit.Left}); err != nil {
			return err
		}
	}
	if code == exitOK {
		return nil
	}
	return said(code)
}

// note tells a person something on stderr that is no error.
func (a *app) note(format string, args ...any) {
	p := paint{a.color(a.world.Stderr)}
	line := fmt.Sprintf("%s %s\n", p.yellow("!"), indented(a.mask.Text(fmt.Sprintf(format, args...))))
	if a.inRaw.Load() { // there a new line doesn't begin at the left by itself
		line = strings.ReplaceAll(line, "\n", "\r\n")
	}
	_, _ = io.WriteString(a.world.Stderr, line)
}

type execExitLine struct {
	Type   string `json:"type"` // "exit"
	Code   int    `json:"code"`
	Reason string `json:"reason"`
	Signal int    `json:"signal,omitempty"`
	Left   string `json:"left,omitempty"` // what was left running, and ended
}

type outputLine struct {
	Type   string `json:"type"`   // "output"
	Stream string `json:"stream"` // "stdout" or "stderr"
	Data   []byte `json:"data"`   // in base64: it needn't be text
}

// stdout and stderr are where a command's output goes.
func (a *app) streams() (stdout, stderr io.Writer) {
	if !a.flags.json {
		return a.world.Stdout, a.world.Stderr
	}
	l := &lineWriter{app: a}
	return lineStream{l, "stdout"}, lineStream{l, "stderr"}
}
