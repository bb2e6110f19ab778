package secrets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/sandlot-dev/sandlot/sdk/proctree"
)

const (
	// CommandTimeout is how long a secret's command may take, in which a person may
	// have to unlock something.
	CommandTimeout = 60 * time.Second
	// afterExit is how long the output of a command is read once it has ended: a
	// daemon that it started, such as a key agent, may keep its stdout.
	afterExit = 200 * time.Millisecond
	// killWait is how long a tree that is killed is waited for.
	killWait = 10 * time.Second
	// saidMost is how much of a failed command's last words is told, in bytes.
	saidMost = 500
)

// command is one run of a secret's command.
type command struct {
	argv    []string // its program is a path
	dir     string
	environ []string
	timeout time.Duration
	folder  string // what has a folder for each command that runs
}

// output is what a command has printed.
type output struct {
	stdout []byte // up to longest+1 bytes
	stderr []byte // its end
}

// run runs the command without a shell, a terminal and input, to its end. When its
// time is up or ctx ends, all that it has started is killed; after a success that
// stays, since an agent that keeps keys unlocked may be among it. The problem
// holds what the command said on stderr: scrub it.
func (c command) run(ctx context.Context) (out output, p *Problem, err error) {
	if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return out, nil, fmt.Errorf("make a folder for secrets' commands: %w", err)
	}
	sweep(ctx, c.folder)
	state, err := os.MkdirTemp(c.folder, "")
	if err != nil {
		return out, nil, fmt.Errorf("make a folder for a secret's command: %w", err)
	}
	defer os.RemoveAll(state)
	forest, err := proctree.Open(state, proctree.Options{MarksOnly: true})
	if err != nil {
		return out, nil, fmt.Errorf("prepare a secret's command: %w", err)
	}
	stdout, err := drainTo(longest+1, false)
	if err != nil {
		return out, nil, err
	}
	defer stdout.close()
	stderr, err := drainTo(4<<10, true)
	if err != nil {
		return out, nil, err
	}
	defer stderr.close()

	within, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	tree, err := forest.Start(within, proctree.Spec{
		ID: treeID, Argv: c.argv, Dir: c.dir, Env: c.environ, Stdout: stdout.in, Stderr: stderr.in,
		Bound: true, Leashed: true,
	})
	_, _ = stdout.in.Close(), stderr.in.Close() // the command has its own
	var exit proctree.Exit
	switch {
	case err == nil:
		exit, err = tree.Wait(within)
	case within.Err() == nil:
		return out, wrong("correct `command` in its secret block", "its command can't be started: %s", cause(err)), nil
	}
	if err != nil {
		kill, stop := context.WithTimeout(context.WithoutCancel(ctx), killWait)
		defer stop()
		err = forest.Kill(kill, treeID, 0)
	}
	out = output{stdout.wait(afterExit), stderr.wait(afterExit)}
	switch {
	case ctx.Err() != nil:
		return out, nil, fmt.Errorf("run a secret's command: %w", errors.Join(context.Cause(ctx), err))
	case within.Err() != nil && err != nil:
		return out, nil, fmt.Errorf("end a secret's command: %w", err)
	case within.Err() != nil:
		return out, wrong("run it by hand and see what it waits for; it has no terminal and no input here",
			"its command took more than %s and was ended%s", c.timeout, said(out.stderr)), nil
	}
	return out, judge(exit, out), nil
}

// treeID is that of the only tree in a forest of its own.
const treeID = "secret"

// judge says what is wrong with how a command ended and what it printed.
func judge(exit proctree.Exit, out output) *Problem {
	const fix = "run it by hand and see"
	switch {
	case exit.Signal != 0:
		return wrong(fix, "its command was ended by signal %d%s", exit.Signal, said(out.stderr))
	case exit.Code != 0:
		return wrong(fix, "its command ended with exit code %d%s", exit.Code, said(out.stderr))
	case len(out.stdout) > longest:
		return wrong("have it print the value and nothing else", "its command printed more than %d bytes, too many for a secret", longest)
	case line(out.stdout) == "":
		return wrong(fix, "its command printed nothing%s", said(out.stderr))
	}
	return nil
}

// said is the end of what a command said, in one printable line.
func said(stderr []byte) string {
	text := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(string(stderr), "?"), func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if text == "" {
		return ""
	}
	if len(text) > saidMost {
		text = "... " + strings.ToValidUTF8(text[len(text)-saidMost:], "")
	}
	return "; it said: " + text
}
