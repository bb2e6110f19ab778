package shellfs

import (
	"context"
	"crypto/rand"
	"io"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// call is one script with its arguments, for one path.
type call struct {
	what   string // for messages, e.g. `read file "a"`
	script string
	args   []string
	stdin  io.Reader
}

func (f files) command(c call) sandbox.Command {
	argv := []string{"sh", "-c", prelude + c.script, "sh"}
	if f.confined() {
		argv = append(argv, f.served()...)
	} else {
		argv = append(argv, "", "", "")
	}
	// Not under Root, which the agent may have put something else in the place of.
	return sandbox.Command{ID: "shellfs-" + rand.Text(), Argv: append(argv, c.args...), Dir: "/", Stdin: c.stdin}
}

// run runs a script to its end and returns its output, which is small.
func (f files) run(ctx context.Context, c call) ([]byte, error) {
	cmd := f.command(c)
	exec := sandbox.Exec
	if c.stdin != nil { // a stream, which Exec would collect
		exec = func(ctx context.Context, sb sandbox.Sandbox, cmd sandbox.Command) (sandbox.Output, error) {
			return sandbox.Collect(ctx, sb, cmd, maxWords)
		}
	}
	out, err := exec(ctx, f.sb, cmd)
	if err := f.failure(ctx, c.what, err, out.Exit, out.Stderr); err != nil {
		return nil, err
	}
	if out.Truncated {
		return nil, sandbox.Errorf(sandbox.Internal, "%s: the answer is too long", c.what)
	}
	return out.Stdout, nil
}

// cleanTime bounds the removal of what an interrupted call left.
const cleanTime = 10 * time.Second

// clean removes a temporary name after a call that failed, also after its context
// has ended. A script removes it by itself, but not when it is killed.
func (f files) clean(ctx context.Context, folder, temp string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTime)
	defer cancel()
	// If this fails too, the sandbox is out of reach, or as gone as the file.
	_, _ = f.run(ctx, call{what: "clean up", script: cleanScript, args: []string{folder, temp}})
}
