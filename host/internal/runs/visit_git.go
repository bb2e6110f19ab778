package runs

import (
	"context"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitbox"
	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitsource"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// GitVerbs are what [Visit.Git] runs.
func GitVerbs() []string { return gitbox.Verbs() }

// Git runs git in the workspace of the sandbox and returns git's exit code. Push and
// pull reach the repository that the workspace was made of, and no other; its token
// is in the environment of that one command. A token that can't be had is named
// with its source. When ctx ends, git is ended as by [Visit.Exec].
func (v *Visit) Git(ctx context.Context, verb string, args []string, stdout, stderr io.Writer, force <-chan struct{}) (int, error) {
	env, err := v.Env(ctx, nil)
	if err != nil {
		return 0, err
	}
	src := v.spec.Workspace.Source
	source := gitbox.Source{URL: src.URL}
	if verb == "push" || verb == "pull" {
		if source.Token, err = v.token(ctx); err != nil {
			return 0, err
		}
	}
	info := v.sandbox.Info()
	box := gitbox.Box{Root: info.Root, StateDir: info.StateDir, Run: func(ctx context.Context, c gitbox.Command) (int, error) {
		all := maps.Clone(env)
		maps.Copy(all, c.Env)
		exit, err := v.Exec(ctx, Exec{
			Command: sandbox.Command{Argv: c.Argv, Env: all, Stdout: c.Stdout, Stderr: c.Stderr}, Force: force,
		})
		if err != nil {
			return 0, err
		}
		code, known := ExitCode(exit)
		if !known {
			return 0, sandbox.Errorf(sandbox.Unavailable, "nobody knows how git ended: %s", exit.Message)
		}
		return code, nil
	}}
	return box.Git(ctx, source, verb, args, gitbox.Streams{Stdout: stdout, Stderr: stderr})
}

// token is that of the workspace's source.
func (v *Visit) token(ctx context.Context) (gitsource.Token, error) {
	value := v.spec.Workspace.Source.Token
	if len(value.Parts) == 0 {
		return gitsource.Token{}, nil
	}
	set, missing, err := v.engine.resolveNeeded(ctx, v.spec, value.Secrets())
	if err != nil {
		return gitsource.Token{}, err
	}
	for _, name := range value.Secrets() {
		if problem := problemOf(missing, name); problem != nil {
			return gitsource.Token{}, fmt.Errorf("open %s: %w", v.spec.Workspace.Source.URL, problem)
		}
	}
	text, err := expander(set)(value.Parts)
	if err != nil {
		return gitsource.Token{}, fmt.Errorf("open %s: %w", v.spec.Workspace.Source.URL, err)
	}
	return gitsource.Token{Value: text, Secret: strings.Join(value.Secrets(), " and secret.")}, nil
}
