package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// permissions are the agent's questions and our answers.
type permissions struct {
	s      *harness.Session
	conn   *connection
	tools  *tools
	open   []question
	denied string // title of the last request that was denied; empty: none was
	over   bool   // canceled or ended: what is asked now is answered "cancelled"
}

type question struct {
	ask     string          // id of our Ask
	rpc     json.RawMessage // id of the agent's request
	title   string
	options []permissionOption
}

type permissionOption struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"` // allow_once, allow_always, reject_once, reject_always
}

func (o permissionOption) allows() bool { return strings.HasPrefix(o.Kind, "allow") }

// request passes a permission request on. Its id is made whether or not it is
// passed on: ids depend on lines only.
func (p *permissions) request(m message) {
	var params struct {
		Tool    toolFields         `json:"toolCall"`
		Options []permissionOption `json:"options"`
	}
	// A request that can't be read is still asked about, as what it is.
	_ = json.Unmarshal(m.Params, &params)
	f := p.tools.asked(params.Tool)
	q := question{ask: p.s.NewID(), rpc: m.ID, title: f.title(), options: params.Options}
	if p.over {
		p.conn.reply(q.rpc, cancelled())
		return
	}
	p.open = append(p.open, q)
	kind, target := subject(f, p.s.Start().Workspace.Root)
	ask := harness.Ask{ID: q.ask, Kind: kind, Target: target, Title: q.title}
	for _, o := range q.options {
		ask.Options = append(ask.Options, harness.Option{
			ID: o.ID, Name: o.Name, Allow: o.allows(), Once: strings.HasSuffix(o.Kind, "_once"),
		})
	}
	p.s.Ask(ask)
}

// decide answers the agent. Answers to what isn't open are dropped.
func (p *permissions) decide(d *harness.Decision) {
	i := slices.IndexFunc(p.open, func(q question) bool { return q.ask == d.Ask })
	if i < 0 {
		return
	}
	q := p.open[i]
	p.open = slices.Delete(p.open, i, i+1)
	if !d.Allow {
		p.denied = q.title
		if d.Reason != "" {
			p.denied += " (" + d.Reason + ")"
		}
	}
	if o, ok := choosePermission(q.options, d); ok {
		p.conn.reply(q.rpc, object{"outcome": object{"outcome": "selected", "optionId": o.ID}})
		return
	}
	p.conn.reply(q.rpc, cancelled())
}

// withdraw takes back the question of a request that the agent cancels, and answers
// that.
func (p *permissions) withdraw(rpc json.RawMessage) {
	i := slices.IndexFunc(p.open, func(q question) bool { return bytes.Equal(q.rpc, rpc) })
	if i < 0 {
		return
	}
	q := p.open[i]
	p.open = slices.Delete(p.open, i, i+1)
	p.conn.reply(q.rpc, cancelled())
	p.s.Withdraw(q.ask)
}

// end takes back what is open when the turn ends without the answers.
func (p *permissions) end() {
	for _, q := range p.open {
		p.s.Withdraw(q.ask)
	}
	p.close()
}

// close answers what is open, and all that comes, with "cancelled".
func (p *permissions) close() {
	for _, q := range p.open {
		p.conn.reply(q.rpc, cancelled())
	}
	p.open, p.over = nil, true
}

func cancelled() object { return object{"outcome": object{"outcome": "cancelled"}} }

// choosePermission picks the option of a decision. One chosen by id counts only
// if it agrees with allow or deny; the narrower kind is preferred.
func choosePermission(options []permissionOption, d *harness.Decision) (permissionOption, bool) {
	for _, o := range options {
		if d.Option != "" && o.ID == d.Option && o.allows() == d.Allow {
			return o, true
		}
	}
	kinds := []string{"reject_once", "reject_always"}
	if d.Allow {
		kinds = []string{"allow_once", "allow_always"}
	}
	for _, kind := range kinds {
		if i := slices.IndexFunc(options, func(o permissionOption) bool { return o.Kind == kind }); i >= 0 {
			return options[i], true
		}
	}
	return permissionOption{}, false
}
