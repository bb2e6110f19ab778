package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/policy"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// The values of approval.requested and approval.decided.
type (
	requested struct {
		ID      string     `json:"id"`
		Kind    string     `json:"kind"`
		Target  string     `json:"target"`
		Title   string     `json:"title"`
		Rule    string     `json:"rule"`
		Expires *time.Time `json:"expires,omitempty"`
	}
	decided struct {
		ID       string `json:"id"`
		Kind     string `json:"kind"`
		Target   string `json:"target"` // there may have been no approval.requested
		Decision string `json:"decision"`
		Scope    string `json:"scope"`
		By       string `json:"by"`
		Rule     string `json:"rule"`

		At time.Time `json:"at"` // when it was decided; the event may come later
	}
)

// waiting is a request that waits for a person. Its time is measured: the machine's
// clock may be set meanwhile.
type waiting struct {
	*harness.Ask

	until time.Time // zero: for ever
}

// clockSlack is how far the store may be off in when a request runs out.
const clockSlack = 2 * time.Second

// ask decides a request of the agent, or puts it to a person. A request that an
// earlier attempt has met is in the table already.
func (p *pump) ask(ctx context.Context, a *harness.Ask) error {
	now := time.Now()
	p.asks[a.ID] = &waiting{a, now.Add(p.record.Spec.Policy.ApprovalTimeout)}
	known, err := lookUp(ctx, p.log, func() (store.Approval, error) { return p.Store.Approval(ctx, p.run.ID, a.ID) })
	if err == nil {
		return p.again(known)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("look up request %s: %w", a.ID, err)
	}
	d := p.decision(ctx, a)
	row := store.Approval{
		ID: a.ID, Kind: string(a.Kind), Target: string(p.log.redact([]byte(a.Target))),
		Title: string(p.log.redact([]byte(a.Title))), Rule: string(p.log.redact([]byte(d.Rule))), Asked: now,
		Expires: now.Add(p.record.Spec.Policy.ApprovalTimeout),
	}
	if row.Options, err = json.Marshal(a.Options); err != nil {
		return fmt.Errorf("encode options of request %s: %w", a.ID, err)
	}
	decision, scope, by, err := p.atOnce(ctx, d, row, a.Target)
	if err != nil {
		return err
	}
	if err := p.addApproval(ctx, row, by == ""); err != nil {
		return err
	}
	if by != "" {
		return p.decide(ctx, a.ID, decision, scope, by)
	}
	p.clocks.clear(clockIdle)
	p.clocks.waits(true)
	return nil
}

// decision is what the policy says of a request.
func (p *pump) decision(ctx context.Context, a *harness.Ask) policy.Decision {
	rules := Rules(p.record.Spec.Policy, p.record.Spec.Workspace.Scripts)
	look, stop := context.WithTimeout(ctx, lookTime)
	defer stop()
	rules.Places = p.folders
	rules.Places.Dir, rules.Places.Link = a.Dir, p.linkOf(look)
	return policy.Decide(rules, policy.Request{Kind: policy.Kind(a.Kind), Target: a.Target})
}

// atOnce is the decision that needs no person; by is empty where one must be
// asked. What a rule denies, nothing allows.
func (p *pump) atOnce(ctx context.Context, d policy.Decision, row store.Approval, target string) (decision store.Decision, scope, by string, err error) {
	switch {
	case d.Action != policy.Ask:
		return store.Decision(d.Action), "rule", "policy", nil
	case p.record.Approve == ApproveYes:
		return store.Allow, store.ScopeRun, "--approve yes", nil
	case p.record.Approve == ApproveNo:
		return store.Deny, store.ScopeRun, "--approve no", nil
	case row.Target != target: // without its secrets it may be like another one
		return store.Undecided, "", "", nil
	}
	return p.standing(ctx, row)
}

// again handles a request that the table knows: its answer is given once more,
// or waited for.
func (p *pump) again(known store.Approval) error {
	if !known.Closed.IsZero() {
		p.answer(known)
		return nil
	}
	// It has waited before; a clock that was set back gives it no longer than anew.
	a := p.asks[known.ID]
	if known.Expires.IsZero() {
		a.until = time.Time{}
	} else if left := time.Until(known.Expires); left < time.Until(a.until) {
		a.until = time.Now().Add(left)
	}
	p.clocks.waits(true)
	return nil
}

// addApproval writes the request, with its event where a person is asked.
func (p *pump) addApproval(ctx context.Context, row store.Approval, tell bool) error {
	if err := p.log.flush(ctx); err != nil {
		return err
	}
	if !tell {
		return p.log.retry(ctx, func() error { return p.Store.AddApproval(ctx, p.run.ID, p.epoch, row, nil) })
	}
	event, err := agui.NewCustom("approval.requested", requested{
		row.ID, row.Kind, row.Target, row.Title, row.Rule, &row.Expires,
	})
	if err != nil {
		return err
	}
	events, err := p.log.encode(event)
	if err != nil {
		return err
	}
	return p.log.retry(ctx, func() error {
		return p.Store.AddApproval(ctx, p.run.ID, p.epoch, row, events)
	})
}

// collectAnswers takes what others have decided, and lets time decide the rest.
func (p *pump) collectAnswers(ctx context.Context) error {
	for id, a := range p.asks {
		row, err := lookUp(ctx, p.log, func() (store.Approval, error) { return p.Store.Approval(ctx, p.run.ID, id) })
		if err != nil {
			return fmt.Errorf("look up request %s: %w", id, err)
		}
		switch {
		case row.Decision != store.Undecided:
			err = p.decide(ctx, id, row.Decision, row.Scope, row.By)
		case !a.until.IsZero() && time.Now().After(a.until):
			err = p.decide(ctx, id, store.Deny, store.ScopeOnce, "timeout")
		default:
			err = errors.Join(p.tellTime(ctx, a, row), p.decideAlike(ctx, row))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tellTime corrects when a request runs out, in the store, after the machine's
// clock was set: who answers goes by that.
func (p *pump) tellTime(ctx context.Context, a *waiting, row store.Approval) error {
	left := time.Until(a.until)
	if a.until.IsZero() || (time.Until(row.Expires)-left).Abs() < clockSlack {
		return nil
	}
	return p.log.retry(ctx, func() error {
		return p.Store.MoveExpiry(ctx, p.run.ID, p.epoch, row.ID, time.Now().Add(left))
	})
}

// ByWithdrawal is by what a request ended that the agent waits for no longer.
const ByWithdrawal = "withdrawn"

// withdrawn ends a request that the agent waits for no longer; one that is decided
// stays so.
func (p *pump) withdrawn(ctx context.Context, m *harness.Withdraw) error {
	if p.asks[m.Ask] == nil {
		return nil
	}
	return p.decide(ctx, m.Ask, store.Deny, store.ScopeOnce, ByWithdrawal)
}

// decideAlike answers a request that waits beside an equal one, whose answer was
// given for both.
func (p *pump) decideAlike(ctx context.Context, row store.Approval) error {
	if a := p.asks[row.ID]; row.Target != a.Target {
		return nil
	}
	decision, scope, by, err := p.standing(ctx, row)
	if err != nil || by == "" {
		return err
	}
	return p.decide(ctx, row.ID, decision, scope, by)
}

// decide closes a request and gives the harness the answer. Somebody's decision
// that is in the table wins over ours.
func (p *pump) decide(ctx context.Context, id string, d store.Decision, scope, by string) error {
	var closed store.Approval
	var encodeErr error
	err := p.log.retry(ctx, func() (err error) {
		closed, err = p.Store.CloseApproval(ctx, p.run.ID, p.epoch, id, d, scope, by, func(a store.Approval) []store.Event {
			event, err := agui.NewCustom("approval.decided", decided{a.ID, a.Kind, a.Target, string(a.Decision), a.Scope, a.By, a.Rule, a.At.UTC()})
			if err != nil {
				encodeErr = err
				return nil
			}
			events, err := p.log.encode(event)
			encodeErr = err
			return events
		})
		return err
	})
	if err = errors.Join(err, encodeErr); err != nil {
		return fmt.Errorf("close request %s: %w", id, err)
	}
	p.answer(closed)
	return nil
}

// answer tells the harness.
func (p *pump) answer(a store.Approval) {
	delete(p.asks, a.ID)
	allow := a.Decision == store.Allow
	reason := fmt.Sprintf("allowed by %s", a.By)
	if !allow {
		reason = denial(a)
	}
	p.tell(&harness.Decision{Ask: a.ID, Allow: allow, Reason: reason})
	if len(p.asks) == 0 {
		p.clocks.waits(false)
		p.alive()
	}
}

func denial(a store.Approval) string {
	switch a.By {
	case "policy":
		return "denied by policy rule " + a.Rule
	case "timeout":
		return "denied: nobody answered in time"
	case ByWithdrawal:
		return "the request was withdrawn"
	}
	return "denied by " + a.By
}
