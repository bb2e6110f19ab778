package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// answerLines are what to type to answer a request.
func answerLines(run, id string) string {
	ref := run + " " + shortID(run, id)
	return "sandlot approve " + ref + "   or   sandlot deny " + ref
}

// hinting tells, where nobody is asked here, how to answer a request that waits.
// Of a log that is read again, those that were answered long ago aren't told.
func (a *app) hinting(ctx context.Context, st *store.Store, run string, show func(store.Event) error) func(store.Event) error {
	p := paint{a.color(a.world.Stderr)}
	return func(e store.Event) error {
		if err := show(e); err != nil {
			return err
		}
		event, err := agui.Unmarshal(e.Payload)
		c, ok := event.(agui.Custom)
		var v struct{ ID string }
		if err != nil || !ok || c.Name != "approval.requested" || json.Unmarshal(c.Value, &v) != nil {
			return nil
		}
		if r, err := st.Approval(ctx, run, v.ID); err == nil && r.Decision == store.Undecided && r.Closed.IsZero() {
			fmt.Fprintf(a.world.Stderr, "  %s\n", p.dim("answer with: "+answerLines(run, v.ID)))
		}
		return nil
	}
}

// sayWaiting tells below a list of runs how to answer what waits.
func (a *app) sayWaiting(list []runs.Entry) {
	p := paint{a.color(a.world.Stderr)}
	for _, e := range list {
		w := e.Waits
		if w == nil || e.Run.Status.Terminal() {
			continue
		}
		left := ""
		if d := time.Until(w.Expires).Round(time.Second); !w.Expires.IsZero() && d > 0 {
			left = fmt.Sprintf(" (%s left)", d)
		}
		fmt.Fprintf(a.world.Stderr, "\n%s run %s waits for an answer%s: %s\n%s\n  %s\n", p.yellow("?"), e.Run.ID, left,
			oneLine(w.Kind, 40), quoted(or(w.Target, w.Title), a.width()), answerLines(e.Run.ID, w.ID))
	}
}
