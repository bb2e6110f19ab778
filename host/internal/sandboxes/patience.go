package sandboxes

import (
	"context"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// patient bounds a call by CreateTimeout. Each call of moved, for bytes that have
// arrived, lets it begin anew.
func patient(ctx context.Context, verb string) (_ context.Context, moved, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(CreateTimeout, func() {
		cancel(sandbox.Errorf(sandbox.TimedOut, "%s took longer than %s", verb, CreateTimeout))
	})
	moved = func() {
		if ctx.Err() == nil {
			timer.Reset(CreateTimeout)
		}
	}
	return ctx, moved, func() { timer.Stop(); cancel(nil) }
}

// becauseOf is an error of a call, or why the call was given up.
func becauseOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && sandbox.ClassOf(cause) == sandbox.TimedOut {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// progress passes on what a provider says of a long call.
func progress(tell func(Phase), moved func()) func(sandbox.Progress) {
	return func(p sandbox.Progress) {
		if p.Phase == "pull" {
			moved()
		}
		detail := p.Detail
		if p.Percent >= 0 {
			detail = fmt.Sprintf("%s %d %%", detail, p.Percent)
		}
		tell(Phase{Name: p.Phase, State: "progress", Detail: detail})
	}
}
