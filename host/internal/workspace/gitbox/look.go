package gitbox

import (
	"bytes"
	"context"
	_ "embed" // the scripts
	"errors"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

//go:embed look.sh
var lookScript string

var errSilent = errors.New("git gave no answer")

// seen is what there is in the workspace.
type seen struct {
	common   string // git's folder, absolute and without links
	root     string // the workspace, alike
	format   string // of objects: sha1 or sha256
	branch   string // refs/heads/...; empty: none
	head     string // commit; empty: none
	upstream string // refs/heads/... of the branch; empty: none
	origin   string // URL; empty: none
	identity bool   // it is known who commits
	refs     []ref
}

// ref is what a name stands for.
type ref struct{ object, name string } // empty: nothing; name: it is none

// patience is how long a look may take. Git waits for ever where an agent has put
// a pipe in the place of a file of its own.
const patience = 30 * time.Second

// look asks what there is, and of some names what they stand for.
func (j *job) look(ctx context.Context, names []string) (*seen, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errSilent)
	defer cancel()
	var out, said bytes.Buffer
	code, err := j.Run(ctx, Command{
		Argv: append([]string{"/bin/sh", "-c", lookScript, "sh"}, names...), Env: j.env(j.ours()), Stdout: &out, Stderr: &said,
	})
	if errors.Is(context.Cause(ctx), errSilent) {
		return nil, &sandbox.Error{
			Class: sandbox.TimedOut, Message: "look at the repository in the sandbox: git gave no answer within " + patience.String(),
			Hint: "perhaps a file in .git is a pipe: look with sandlot exec",
		}
	}
	if err != nil {
		return nil, err
	}
	if code != 0 {
		return nil, sandbox.Errorf(sandbox.Unavailable, "look at the repository in the sandbox: ended with %d: %s", code, strings.TrimSpace(said.String()))
	}
	s := &seen{}
	for line := range strings.Lines(out.String()) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if value == "-" {
			value = ""
		}
		switch key {
		case "no":
			return nil, j.lacks(value)
		case "pipe":
			return nil, &sandbox.Error{
				Class: sandbox.Invalid, Message: "in the sandbox " + printable(value) + " is a pipe, at which git would wait for ever",
				Hint: "look at it, and remove it, with sandlot exec",
			}
		case "common":
			s.common = value
		case "root":
			s.root = value
		case "format":
			s.format = value
		case "branch":
			s.branch = value
		case "head":
			s.head = value
		case "upstream":
			s.upstream = value
		case "origin":
			s.origin = value
		case "identity":
			s.identity = true
		case "ref":
			object, name, _ := strings.Cut(value, " ")
			s.refs = append(s.refs, ref{absent(object), absent(name)})
		}
	}
	if s.common == "" || len(s.refs) != len(names) {
		return nil, sandbox.Errorf(sandbox.Internal, "look at the repository in the sandbox: it said %q", out.String())
	}
	return s, nil
}

func absent(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

func (j *job) lacks(what string) error {
	if what == "git" {
		return &sandbox.Error{
			Class: sandbox.NotFound, Message: "the sandbox has no program git on its PATH",
			Hint: "install it with a setup command, such as apt-get install -y git, or use an image that has it",
		}
	}
	return &sandbox.Error{
		Class: sandbox.NotFound, Message: "the workspace " + j.Root + " isn't a git repository: " + strings.TrimSpace(strings.TrimPrefix(what, "repository")),
		Hint: "give the workspace a source \"git\" or \"github\", or run git init there with sandlot exec",
	}
}
