package harnesstest

import (
	"slices"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// Record is all that a harness sent in one session.
type Record struct {
	Provisions []*harness.Provision
	Launches   []*harness.Launch
	Payloads   [][]byte // the events, encoded, in order
	Inputs     []*harness.Input
	Asks       []*harness.Ask
	Withdrawn  []string        // ids of asks that were taken back
	Result     *harness.Result // nil: no Done came

	ends     []int64 // journal ends that were acknowledged
	problems []string
}

// Events decodes the payloads; one that can't be decoded ends the list.
func (r *Record) Events() ([]agui.Event, error) {
	var out []agui.Event
	for _, p := range r.Payloads {
		e, err := agui.Unmarshal(p)
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
	return out, nil
}

// Input joins all that was written to the agent's stdin.
func (r *Record) Input() []byte {
	var out []byte
	for _, i := range r.Inputs {
		out = append(out, i.Data...)
	}
	return out
}

// add files a message and notes what comes out of order.
func (r *Record) add(m harness.FromHarness) {
	if r.Result != nil {
		r.problem("a message after Done")
	}
	switch m := m.(type) {
	case *harness.Provision:
		if len(r.Launches) > 0 {
			r.problem("Provision came after Launch")
		}
		r.Provisions = append(r.Provisions, m)
	case *harness.Launch:
		if len(r.Payloads) > 0 {
			r.problem("an event came before Launch")
		}
		r.Launches = append(r.Launches, m)
	case *harness.Events:
		r.Payloads = append(r.Payloads, m.Payloads...)
		if m.JournalEnd != 0 {
			r.ends = append(r.ends, m.JournalEnd)
		}
	case *harness.Input:
		if len(r.Launches) == 0 {
			r.problem("stdin was written before Launch")
		}
		r.Inputs = append(r.Inputs, m)
	case *harness.Ask:
		r.Asks = append(r.Asks, m)
	case *harness.Withdraw:
		if !slices.ContainsFunc(r.Asks, func(a *harness.Ask) bool { return a.ID == m.Ask }) {
			r.problem("an ask was withdrawn that wasn't made: " + m.Ask)
		}
		r.Withdrawn = append(r.Withdrawn, m.Ask)
	case *harness.Done:
		r.Result = &m.Result
	}
}

func (r *Record) problem(text string) { r.problems = append(r.problems, text) }
