package sandboxes

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// ask asks all providers side by side. One that doesn't answer in time isn't
// waited for any longer than it takes to end it.
func ask(ctx context.Context, all map[string]*answer, list Lister, patience time.Duration) map[string]*answer {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	type told struct {
		key  string
		list []sandbox.Summary
		err  error
	}
	answers := make(chan told, len(all)) // nobody may wait when we have left
	waiting := map[string]bool{}
	for key, a := range all {
		if a.err != nil {
			continue
		}
		waiting[key] = true
		go func() {
			found, err := list(ctx, a.spec)
			answers <- told{key, found, err}
		}()
	}
	left := time.NewTimer(patience + closing)
	defer left.Stop()
	for len(waiting) > 0 {
		select {
		case t := <-answers:
			delete(waiting, t.key)
			all[t.key].list, all[t.key].err = t.list, late(ctx, t.err, patience)
		case <-left.C:
			for key := range waiting {
				all[key].err = late(ctx, ctx.Err(), patience)
			}
			return all
		}
	}
	return all
}

// late words the error of a provider whose time was over.
func late(ctx context.Context, err error, patience time.Duration) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("no answer within %s: %w", patience, err)
	}
	return err
}

// compare orders by the first pair, then by the second.
func compare(a1, b1, a2, b2 string) int { return cmp.Or(cmp.Compare(a1, b1), cmp.Compare(a2, b2)) }
