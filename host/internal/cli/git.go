package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
)

func (a *app) gitCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "git SANDBOX status|add|commit|push|pull|branch [ARG...]",
		Short: "Run git in a sandbox; push and pull with the source's token",
		Long: "Run git in the workspace of a sandbox, as that sandbox has it. status, add, commit and branch are git's\n" +
			"own with all their arguments, run with the sandbox's configuration and hooks, without a token.\n\n" +
			"push and pull reach the repository that the workspace was made of, whatever its origin is by now, with\n" +
			"the source's token in the environment of that one command. What has the token runs in a git folder of its\n" +
			"own, so that no hook, filter, helper or setting that an agent has written is heard meanwhile. What pull\n" +
			"fetched is merged afterwards, without the token, and there they are:\n" +
			"  push [-u] [-f|--force-with-lease] [-d] [-n] [origin] [NAME[:REMOTE-NAME]...]\n" +
			"                              without a name the branch that the work tree is on, under its own name\n" +
			"  pull [--rebase] [origin] [BRANCH]\n" +
			"                              fast-forward only, unless --rebase\n" +
			"While it lasts, the token is in the sandbox: an agent that is at work there as the same user could read it.\n\n" +
			"Where the sandbox doesn't say who commits, it is Sandlot <sandlot@localhost>.\n\n" +
			"Exit codes: git's own, 125 if sandlot itself failed.",
		Example: "  sandlot git quickstart status --short\n" +
			"  sandlot git quickstart add -A\n" +
			"  sandlot git quickstart commit -m 'Fix the tests'\n" +
			"  sandlot git quickstart push -u origin HEAD:fix-the-tests",
		Args: func(_ *cobra.Command, got []string) error {
			if len(got) < 2 {
				return usagef("sandlot git takes a sandbox and what git is to do: sandlot git SANDBOX %s; see sandlot git --help",
					strings.Join(runs.GitVerbs(), "|"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, got []string) error { return a.git(c.Context(), got[0], got[1:]) },
	}
	c.Flags().SetInterspersed(false) // what follows SANDBOX is git's
	return c
}

func (a *app) git(ctx context.Context, ref string, argv []string) error {
	if argv[0] == "--" && len(argv) > 1 {
		argv = argv[1:]
	}
	verb := argv[0]
	if !slices.Contains(runs.GitVerbs(), verb) {
		return fmt.Errorf("sandlot git does %s; this is %q. Anything else is for: sandlot exec %s -- git %s",
			strings.Join(runs.GitVerbs(), ", "), verb, ref, verb)
	}
	ctx, heard := a.untilSignal(ctx)
	defer heard.stop()
	v, done, err := a.visit(ctx, ref, "sandlot git")
	if err != nil {
		return heard.or(err)
	}
	defer done()
	stdout, stderr := a.streams()
	code, err := v.Git(ctx, verb, argv[1:], heard.writer(stdout), heard.writer(stderr), heard.again)
	if err != nil {
		return heard.or(err)
	}
	if a.flags.json {
		if err := a.line(execExitLine{Type: "exit", Code: code, Reason: "exited"}); err != nil {
			return err
		}
	}
	if code == exitOK {
		return nil
	}
	return said(code)
}
