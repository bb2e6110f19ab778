package remote

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// clock ends a call that makes no headway. It counts only while the plugin is
// waited for.
type clock struct {
	timer  *time.Timer
	limit  time.Duration
	cancel context.CancelCauseFunc
	ctx    context.Context //nolint:containedctx // the clock is of this call
}

var errNoHeadway = errors.New("no headway")

// startClock begins to count. The context is the call's: it ends with the clock.
func startClock(ctx context.Context, limit time.Duration) (context.Context, *clock) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &clock{limit: limit, cancel: cancel, ctx: ctx}
	c.timer = time.AfterFunc(limit, func() { cancel(errNoHeadway) })
	return ctx, c
}

// reset counts from the beginning, also after hold.
func (c *clock) reset() { c.timer.Reset(c.limit) }

// hold counts no further: who calls is slow by itself.
func (c *clock) hold() { c.timer.Stop() }

// stop ends the clock, and the call if it still goes on.
func (c *clock) stop() {
	c.timer.Stop()
	c.cancel(nil)
}

// over reports whether the clock has ended the call, and not its caller.
func (c *clock) over(ctx context.Context) bool {
	return errors.Is(context.Cause(c.ctx), errNoHeadway) && ctx.Err() == nil
}

func (c *clock) fail(conn *Conn, ctx context.Context, doing string, err error) error {
	if err != nil && c.over(ctx) {
		return sandbox.Errorf(sandbox.TimedOut, "%s: %s did not finish within %s", doing, conn.Name, c.limit)
	}
	return conn.fail(ctx, doing, err)
}

// stalled is fail for content that came to a halt.
func (c *clock) stalled(conn *Conn, ctx context.Context, doing string, err error) error {
	if err != nil && c.over(ctx) {
		return &sandbox.Error{
			Class: sandbox.TimedOut, Cause: errNoHeadway,
			Message: fmt.Sprintf("%s: %s made no headway for %s%s: it hangs, or what it works with does", doing, conn.Name, c.limit, conn.at()),
		}
	}
	return conn.fail(ctx, doing, err)
}
