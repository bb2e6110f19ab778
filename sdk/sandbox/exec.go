package sandbox

import "context"

// CollectLimit is how many bytes of stdout and of stderr Exec keeps.
const CollectLimit = 8 << 20

// Execer is a sandbox with a faster way than Start for short commands with
// little output: one call instead of a stream. Use [Exec], which asks for it.
type Execer interface {
	Exec(ctx context.Context, cmd Command) (Output, error)
}

// Output is what Exec collected.
type Output struct {
	Stdout, Stderr []byte
	Exit           Exit
	Truncated      bool // more than CollectLimit bytes came; the rest was dropped
}

// Exec runs one command to its end and collects its output. Stdin may be set;
// Stdout, Stderr and Detached may not. The error is that of Start or Wait: a
// command that ends with a code other than 0 is no error.
//
// When ctx ends, the command is killed with its tree before Exec returns.
func Exec(ctx context.Context, sb Sandbox, cmd Command) (Output, error) {
	if cmd.Stdout != nil || cmd.Stderr != nil || cmd.Detached {
		return Output{}, Errorf(Invalid, "exec %s: stdout, stderr and detached may not be set", cmd.ID)
	}
	if e, ok := sb.(Execer); ok {
		return e.Exec(ctx, cmd)
	}
	return Collect(ctx, sb, cmd, CollectLimit)
}

// Collect is Exec by means of Start, for sandboxes that are no Execer. It keeps
// limit bytes of stdout and of stderr each.
func Collect(ctx context.Context, sb Sandbox, cmd Command, limit int64) (Output, error) {
	var stdout, stderr capped
	stdout.left, stderr.left = limit, limit
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	p, err := sb.Start(ctx, cmd)
	if err != nil {
		return Output{}, err
	}
	exit, err := p.Wait(ctx)
	// Close kills what still runs after ctx has ended, and so stops the writes.
	closeErr := p.Close()
	if err == nil && closeErr != nil {
		err = closeErr
	}
	out := Output{Exit: exit}
	var more, moreErr bool
	out.Stdout, more = stdout.kept()
	out.Stderr, moreErr = stderr.kept()
	out.Truncated = more || moreErr
	return out, err
}
