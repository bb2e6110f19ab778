package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// gate decides tool calls. A hook of ours gets each before it is made; what the
// hook allowed is allowed, also where the CLI asks once more by its own rules.
type gate struct {
	s     *harness.Session
	stdin *stdin
	on    bool // the policy wants calls to be decided
	over  bool // canceled: nothing more is allowed
	open  []question
	// verdicts are the calls that were put to us and have no result yet; nil: no
	// answer yet. That a call is in it depends on lines only.
	verdicts map[asked]*harness.Decision
}

// asked is a call that was put to us. Its id is the model service's, and some
// services give calls of one conversation the same: what was decided of one says
// nothing about another.
type asked struct{ call, tool, input string }

// question is a request of the CLI that waits for the answer to an Ask.
type question struct {
	ask     string
	request string // its id
	hook    bool
	of      asked
	input   json.RawMessage
	dir     string // that the CLI is in; empty: it doesn't say
}

func (g *gate) request(id string, r *request) {
	switch r.Subtype {
	case "hook_callback":
		var in hookInput
		lenient(r.Input, &in)
		g.put(question{request: id, hook: true, input: in.Input, dir: in.Dir}, in.ToolUse, in.Tool)
	case "can_use_tool":
		g.put(question{request: id, input: r.Input}, r.ToolUse, r.Tool)
	default:
		g.stdin.refuse(id, "this client doesn't serve "+r.Subtype)
	}
}

// hookInput is what a PreToolUse hook is told.
type hookInput struct {
	Tool    string          `json:"tool_name"`
	ToolUse string          `json:"tool_use_id"`
	Input   json.RawMessage `json:"tool_input"`
	Dir     string          `json:"cwd"`
}

// put decides one request: at once if the answer is known, else by asking.
func (g *gate) put(q question, call, tool string) {
	q.of = asked{call: call, tool: tool, input: compact(q.input)}
	known, again := g.verdicts[q.of]
	again = again && call != ""
	switch {
	case again && known != nil:
		g.answer(q, known)
	case again:
		i := slices.IndexFunc(g.open, func(o question) bool { return o.of == q.of })
		if i < 0 { // it was withdrawn
			g.answer(q, denial("the request was withdrawn"))
			return
		}
		q.ask = g.open[i].ask
		g.open = append(g.open, q)
	case quiet(tool) || !g.on:
		g.settle(q, &harness.Decision{Allow: true})
	default:
		g.ask(q, tool)
	}
}

func (g *gate) ask(q question, tool string) {
	q.ask = g.s.NewID()
	g.verdicts[q.of] = nil
	if g.over {
		g.settle(q, denial("the run was canceled"))
		return
	}
	g.open = append(g.open, q)
	root := g.s.Start().Workspace.Root
	s := subjectOf(tool, q.input, cmp.Or(q.dir, root))
	ask := harness.Ask{ID: q.ask, Kind: s.kind, Target: s.target, Title: s.title}
	if s.kind == harness.AskCommand && q.dir != root {
		ask.Dir = q.dir
	}
	g.s.Ask(ask)
}

func denial(why string) *harness.Decision { return &harness.Decision{Reason: why} }

// decide answers the CLI. Answers to what isn't open are dropped.
func (g *gate) decide(d *harness.Decision) {
	answered := func(q question) bool { return q.ask == d.Ask }
	for _, q := range g.open {
		if answered(q) {
			g.settle(q, d)
		}
	}
	g.open = slices.DeleteFunc(g.open, answered)
}

func (g *gate) settle(q question, d *harness.Decision) {
	g.verdicts[q.of] = d
	g.answer(q, d)
}

func (g *gate) answer(q question, d *harness.Decision) {
	reason := d.Reason
	if reason == "" && !d.Allow {
		reason = "denied by the policy of this sandbox"
	}
	switch {
	case q.hook:
		g.stdin.reply(q.request, object{"hookSpecificOutput": hookAnswer(d.Allow, reason)})
	case d.Allow:
		input := q.input
		if isNull(input) {
			input = json.RawMessage("{}")
		}
		g.stdin.reply(q.request, object{"behavior": "allow", "updatedInput": input})
	default:
		g.stdin.reply(q.request, object{"behavior": "deny", "message": reason})
	}
}

func hookAnswer(allow bool, reason string) object {
	decision := "deny"
	if allow {
		decision = "allow"
	}
	out := object{"hookEventName": "PreToolUse", "permissionDecision": decision}
	if reason != "" {
		out["permissionDecisionReason"] = reason
	}
	return out
}

// withdraw drops what the CLI no longer wants to know. Two of its questions may be
// about one Ask.
func (g *gate) withdraw(request string) {
	i := slices.IndexFunc(g.open, func(q question) bool { return q.request == request })
	if i < 0 {
		return
	}
	ask := g.open[i].ask
	g.open = slices.Delete(g.open, i, i+1)
	if !slices.ContainsFunc(g.open, func(q question) bool { return q.ask == ask }) {
		g.s.Withdraw(ask)
	}
}

// close denies what is open, and all that comes.
func (g *gate) close() {
	g.over = true
	open := g.open
	g.open = nil
	for _, q := range open {
		g.settle(q, denial("the run was canceled"))
	}
}

func (g *gate) wasAsked(call string) bool {
	for a := range g.verdicts {
		if a.call == call {
			return true
		}
	}
	return false
}

// forget drops what was decided of a call that has its result: another one with
// its id is another call.
func (g *gate) forget(call string) {
	maps.DeleteFunc(g.verdicts, func(a asked, _ *harness.Decision) bool { return a.call == call })
}

// undecided warns of a call that was made though it was never put to us: a CLI
// that no longer calls the hook must not go unnoticed.
func (t *turn) undecided(b *block) {
	c := t.calls.byID[b.ToolUseID]
	if !t.gate.on || b.IsError || c == nil || c.closed || quiet(c.name) {
		return
	}
	if !t.gate.wasAsked(b.ToolUseID) {
		t.warn("tool_not_decided", fmt.Sprintf("the agent ran the tool %s without asking; the policy didn't decide it", c.name))
	}
}
