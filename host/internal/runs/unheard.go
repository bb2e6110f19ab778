package runs

import (
	"context"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// sayUnheard tells, before the run ends, of answers that the agent was never told
// since it was gone before: who gave them was told that they are kept, and in the
// log there is no approval.decided.
func (d *drive) sayUnheard(ctx context.Context) error {
	all, err := lookUp(ctx, d.log, func() ([]store.Approval, error) { return d.Store.Approvals(ctx, d.id) })
	if err != nil {
		return fmt.Errorf("look for answers that run %s hasn't had: %w", d.id, err)
	}
	for _, a := range all {
		if unheard(a) {
			d.log.host(ctx, warning("answer_unheard", fmt.Sprintf(
				"the agent was gone before it was told the answer: the request (%s) %s", words(a), outcomeOfRequest(a))))
		}
	}
	return nil
}
