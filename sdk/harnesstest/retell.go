package harnesstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// Retelling gives a transcript to a harness: the harness is the client now, and
// gets what the agent said when the captured client got it. The agent's answers
// are matched to the harness's requests by method, and get their ids, since no
// two clients count alike.
type Retelling struct {
	Open  Opener
	Start harness.Start
	// Decide answers an Ask as the captured client answered the request that led
	// to it; answer is the "result" it gave.
	Decide func(a *harness.Ask, answer json.RawMessage) *harness.Decision
	// Cancel is the method by which the captured client stopped the agent: there
	// the harness gets a Cancel. Empty: there is none.
	Cancel string
	// Leave are methods the captured client used and the harness needn't: their
	// answers are left out.
	Leave []string
	// Exit ends the session; nil: exit code 0.
	Exit *harness.Exit
	// Timeout bounds the session; 0: 30 s.
	Timeout time.Duration
}

// Retold is what came of a retelling.
type Retold struct {
	*Record
	// Output is what the agent printed, with the ids that fit the harness: give
	// it to Replay.
	Output []byte
}

// Run plays the session. A harness that doesn't make a request of the captured
// client, or makes it in another order, ends it with an error that names the
// message.
func (r Retelling) Run(ctx context.Context, t Transcript) (*Retold, error) {
	o := Options{Exit: r.Exit, Timeout: r.Timeout}.withDefaults()
	ctx, stop := context.WithTimeout(ctx, o.Timeout)
	defer stop()
	out := &Retold{}
	told := &told{retelling: r, heard: newHeard(), ids: map[string]json.RawMessage{}, out: out}
	record, err := play(ctx, r.Open, r.Start, hooks{
		decide: func(*harness.Ask) *harness.Decision { return nil }, // told decides when the client did
		each:   func(_ *player, m harness.FromHarness) { told.heard.message(m) },
	}, func(p *player) error {
		for i, s := range t {
			if err := told.next(p, s); err != nil {
				return fmt.Errorf("retell message %d of %d: %w", i+1, len(t), err)
			}
		}
		exit := *o.Exit
		return p.send(&exit)
	})
	out.Record = record
	if err == nil && record.Result == nil {
		err = errors.New("retell: no Done came")
	}
	return out, err
}

// told is how far a retelling has come.
type told struct {
	retelling Retelling
	heard     *heard
	ids       map[string]json.RawMessage // the client's id of a request: the harness's
	asks      []asked
	out       *Retold
}

// asked is a request of the agent that led to an Ask.
type asked struct {
	id  string // of the agent's request
	ask *harness.Ask
}

func (t *told) next(p *player, s Spoken) error {
	e := envelopeOf(s.JSON)
	if s.ByAgent {
		return t.agent(p, e, s.JSON)
	}
	switch {
	case slices.Contains(t.retelling.Leave, e.Method):
		return nil
	case e.requests():
		id, err := t.heard.request(p, e.Method)
		t.ids[string(e.ID)] = id
		return err
	case e.answers():
		return t.decided(p, e)
	case e.Method != "" && e.Method == t.retelling.Cancel:
		if err := p.send(&harness.Cancel{}); err != nil {
			return err
		}
	}
	return t.heard.notification(p, e.Method)
}

// agent gives the harness a line of the agent, and waits until it has read it.
func (t *told) agent(p *player, e envelope, line []byte) error {
	if e.answers() {
		id, ok := t.ids[string(e.ID)]
		if !ok {
			return nil // to a request that was left out
		}
		delete(t.ids, string(e.ID))
		if string(id) != string(e.ID) {
			var err error
			if line, err = withID(line, id); err != nil {
				return err
			}
		}
	}
	t.out.Output = append(append(t.out.Output, line...), '\n')
	end := int64(len(t.out.Output))
	before := t.heard.asked()
	if err := p.send(&harness.Lines{Data: append(slices.Clone(line), '\n'), End: end}); err != nil {
		return err
	}
	if err := t.heard.read(p, end); err != nil {
		return err
	}
	if e.requests() {
		for _, a := range t.heard.asks(before) {
			t.asks = append(t.asks, asked{id: string(e.ID), ask: a})
		}
	}
	return nil
}

// decided is where the client answered a request of the agent: with a decision
// if the harness asked for one.
func (t *told) decided(p *player, e envelope) error {
	if i := slices.IndexFunc(t.asks, func(a asked) bool { return a.id == string(e.ID) }); i >= 0 && t.retelling.Decide != nil {
		if d := t.retelling.Decide(t.asks[i].ask, e.Result); d != nil {
			d.Ask = t.asks[i].ask.ID
			if err := p.send(d); err != nil {
				return err
			}
		}
		t.asks = slices.Delete(t.asks, i, i+1)
	}
	return t.heard.answer(p, string(e.ID))
}
