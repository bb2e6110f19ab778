package runs

import (
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// TestWhatARunOfOurEndUsedIsKept has the host end the run, and the harness tell
// what it knows by then.
func TestWhatARunOfOurEndUsedIsKept(t *testing.T) {
	used := &harness.Result{Usage: harness.Usage{Input: 3, Total: 3, Partial: true}, CostUSD: 0.25, Reason: harness.ReasonCrashed}
	for _, c := range []struct {
		name   string
		pump   *pump
		reason string
		usage  string
	}{
		{"canceled", &pump{stopped: true, result: used}, "canceled", `{"input":3,"total":3,"partial":true}`},
		{"forced", &pump{forced: &endError{harness.ReasonIdleTimeout, "m"}, result: used}, "idle_timeout", `{"input":3,"total":3,"partial":true}`},
		{"out of memory", &pump{oom: true, result: used}, "oom", `{"input":3,"total":3,"partial":true}`},
		{"nothing is known", &pump{stopped: true, result: &harness.Result{Reason: harness.ReasonCrashed}}, "canceled", ""},
		{"the harness said nothing", &pump{stopped: true}, "canceled", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := c.pump.outcome()
			if err != nil || o.Reason != c.reason || o.Status == store.Completed {
				t.Errorf("%+v, %v", o, err)
			}
			if string(o.Usage) != c.usage || (o.Cost != nil) != (c.usage != "") {
				t.Errorf("usage %s, cost %v", o.Usage, o.Cost)
			}
		})
	}
}
