package gitbox

import (
	"context"
	"io"
	"path"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitsource"
)

// Box is a sandbox in which git is run.
type Box struct {
	Root     string // folder of the workspace
	StateDir string // folder of ours, outside of the workspace
	// Run runs a command and returns the exit code that a shell would.
	Run func(ctx context.Context, c Command) (code int, err error)
}

// Command is a command in the sandbox, run in its root.
type Command struct {
	Argv           []string
	Env            map[string]string // over what commands in the sandbox get
	Stdout, Stderr io.Writer
}

// Source is the repository that the workspace was made of.
type Source struct {
	URL   string // empty: it wasn't made of one
	Token gitsource.Token
}

// Streams are where what git prints goes.
type Streams struct{ Stdout, Stderr io.Writer }

// Git runs one of [Verbs] with its arguments and returns git's exit code. An error
// is one of ours: git wasn't run, or nobody knows how it ended.
func (b *Box) Git(ctx context.Context, src Source, verb string, args []string, out Streams) (code int, err error) {
	j := &job{Box: b, src: src, out: out}
	switch verb {
	case "push":
		return j.push(ctx, args)
	case "pull":
		return j.pull(ctx, args)
	}
	return j.plain(ctx, verb, args)
}

// Verbs are what Git runs.
func Verbs() []string { return []string{"status", "add", "commit", "push", "pull", "branch"} }

type job struct {
	*Box
	src Source
	out Streams
}

// plain runs git as somebody in the sandbox would, in the workspace and with its
// configuration. There is no token.
func (j *job) plain(ctx context.Context, verb string, args []string) (int, error) {
	seen, err := j.look(ctx, nil)
	if err != nil {
		return 0, err
	}
	settings := j.safe()
	if !seen.identity {
		settings = append(settings, identity()...)
	}
	return j.Run(ctx, Command{
		Argv: append([]string{"git", verb}, args...), Env: j.env(settings), Stdout: j.out.Stdout, Stderr: j.out.Stderr,
	})
}

// identity is who commits where the sandbox names nobody.
func identity() []string { return []string{"user.name=Sandlot", "user.email=sandlot@localhost"} }

// safe lets git work in the workspace alone, also where its files belong to another
// user than git runs as.
func (j *job) safe() []string { return []string{"safe.directory=" + j.Root} }

// env tells git settings. It never looks for a repository above the workspace.
func (j *job) env(settings []string) map[string]string {
	env := gitsource.Settings(settings)
	env["GIT_CEILING_DIRECTORIES"] = path.Dir(strings.TrimSuffix(j.Root, "/"))
	env["GIT_TERMINAL_PROMPT"] = "0"
	return env
}

// ours are settings under which nothing of a repository's own runs.
func (j *job) ours() []string {
	return append(j.safe(), "core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false")
}
