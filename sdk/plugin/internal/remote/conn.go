package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Conn is a connection to one plugin.
type Conn struct {
	// RPC is the connection.
	RPC grpc.ClientConnInterface
	// Name is the plugin in messages, e.g. `provider plugin "docker"`.
	Name string
	// Died says how the plugin's process ended, after waiting a moment for the
	// end to be seen; nil if it runs or nobody can tell. It may be nil itself.
	Died func() error
	// Crashed completes what is known of a panic in a call. It may be nil.
	Crashed func(*wire.Crash)
	// Place is its configuration block and where that stands. It may be nil.
	Place func() string
	// Timeouts of its calls.
	Timeouts Timeouts
}

// fail makes a classed error of a call's error; nil stays nil. ctx is the
// caller's own, not the one with the deadline of the call.
func (c *Conn) fail(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	if ours, ok := errors.AsType[*sandbox.Error](err); ok {
		return ours
	}
	e, sent := wire.FromStatus(err)
	if e.Class == sandbox.TimedOut {
		settle(ctx)
	}
	if sent {
		if crash, ok := errors.AsType[*wire.Crash](e.Cause); ok && c.Crashed != nil {
			c.Crashed(crash)
			e.Message = crash.Error()
			if crash.Report != "" {
				e.Hint = "" // the report has it
			}
			return e
		}
		if e.Class == sandbox.Canceled || e.Class == sandbox.TimedOut {
			e.Cause = ctx.Err() // the plugin's answer to our own end
			if errors.Is(e.Cause, context.DeadlineExceeded) {
				e.Class = sandbox.TimedOut // a cancel is all that the plugin saw of it
				if why := meaning(ctx); why != "" {
					e.Message = doing + ": " + why
				}
			}
		}
		return e
	}
	cause := err
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		e.Class, e.Message, cause = sandbox.Canceled, doing+": canceled", ctx.Err()
	case ctx.Err() != nil:
		e.Class, e.Message, cause = sandbox.TimedOut, doing+": the deadline passed", ctx.Err()
		if why := meaning(ctx); why != "" {
			e.Message = doing + ": " + why
		}
	case strings.HasPrefix(e.Message, unreadable):
		e.Message = fmt.Sprintf("%s: %s answered with what is no message of the protocol%s: it is damaged, or was built with another SDK",
			doing, c.Name, c.at())
	case e.Class == sandbox.TimedOut:
		e.Message = fmt.Sprintf("%s: %s did not answer in time", doing, c.Name)
	case e.Class == sandbox.Unavailable, e.Class == sandbox.Internal, e.Class == sandbox.Canceled:
		// gRPC reports a broken connection by any of the three.
		if died := c.died(); died != nil {
			e.Class, e.Message, cause = sandbox.Unavailable, fmt.Sprintf("%s: %s", doing, died), died
		} else {
			e.Message = fmt.Sprintf("%s: %s: %s", doing, c.Name, e.Message)
			if e.Class == sandbox.Canceled {
				e.Class = sandbox.Unavailable // nobody on this side gave up
			}
		}
	default:
		e.Message = fmt.Sprintf("%s: %s: %s", doing, c.Name, e.Message)
	}
	e.Cause = cause
	return e
}

// meaning is what whoever set the deadline of a context that has ended said of it;
// empty: nothing.
func meaning(ctx context.Context) string {
	if why := context.Cause(ctx); why != nil && !errors.Is(why, ctx.Err()) {
		return why.Error()
	}
	return ""
}

// settle waits for a deadline that has passed to be the context's end too, whose
// cause says what it means: on a busy machine the plugin's timer may be the first.
func settle(ctx context.Context) {
	if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) > 100*time.Millisecond {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}

// unreadable starts gRPC's own words for an answer that its codec can't read.
const unreadable = "grpc: failed to unmarshal the received message"

// silent is the error of a call that had no answer in its time.
func (c *Conn) silent(doing string, limit time.Duration, err error) error {
	return &sandbox.Error{
		Class: sandbox.TimedOut, Cause: err,
		Message: fmt.Sprintf("%s: %s did not answer within %s%s: it hangs, or what it works with does", doing, c.Name, limit, c.at()),
	}
}

// at is the plugin's configuration block, as the end of a name.
func (c *Conn) at() string {
	if c.Place == nil || c.Place() == "" {
		return ""
	}
	return ", " + c.Place()
}

func (c *Conn) died() error {
	if c.Died == nil {
		return nil
	}
	return c.Died()
}

// lost is the error of a stream that ended without saying how.
func (c *Conn) lost(doing string) error {
	if died := c.died(); died != nil {
		return &sandbox.Error{Class: sandbox.Unavailable, Message: fmt.Sprintf("%s: %s", doing, died), Cause: died}
	}
	return sandbox.Errorf(sandbox.Unavailable, "%s: the connection to %s ended", doing, c.Name)
}

// lateness is how much earlier than our clock the plugin's may end a call: it is
// told the time that is left.
const lateness = 100 * time.Millisecond

// unary runs one call under its deadline.
func unary[R any](ctx context.Context, c *Conn, limit time.Duration, doing string, call func(context.Context) (R, error)) (R, error) {
	began := time.Now()
	callCtx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r, err := call(callCtx)
	late := time.Now().Add(lateness).After(began.Add(limit))
	if err = c.fail(ctx, doing, err); errors.Is(err, sandbox.TimedOut) && late && ctx.Err() == nil {
		// What the plugin answers to the end of its time says less than that.
		err = c.silent(doing, limit, err)
	}
	return r, err
}
