package runs

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// past is an earlier run of a thread.
type past struct {
	prompt  string
	unsent  bool // its prompt never reached an agent
	events  []agui.Event
	outcome store.Outcome
}

func done(prompt string, events ...agui.Event) past {
	return past{prompt: prompt, events: events, outcome: store.Outcome{Status: store.Completed}}
}

// said are the events of a message.
func said(id string, deltas ...string) []agui.Event {
	events := []agui.Event{agui.TextMessageStart{MessageID: id, Role: "assistant"}}
	for _, d := range deltas {
		events = append(events, agui.TextMessageContent{MessageID: id, Delta: d})
	}
	return append(events, agui.TextMessageEnd{MessageID: id})
}

func together(lists ...[]agui.Event) []agui.Event {
	var all []agui.Event
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// ran writes a thread of runs and, after them, the run whose transcript is asked.
func ran(t *testing.T, st *store.Store, runs []past) store.Run {
	t.Helper()
	create := func(id, prompt string) {
		spec, err := json.Marshal(Record{Spec: &config.Spec{}, Prompt: prompt})
		if prompt == unreadable {
			spec = []byte(`{}`)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = st.CreateRun(t.Context(), store.NewRun{ID: id, ThreadName: "t", Project: "/p", Harness: "h", Spec: spec})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range runs {
		id := fmt.Sprint("r", i)
		create(id, p.prompt)
		l := claim(t, st, id)
		var payloads [][]byte
		for _, e := range p.events {
			payload, err := agui.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			payloads = append(payloads, payload)
		}
		if err := l.agent(t.Context(), payloads, 1); err != nil {
			t.Fatal(err)
		}
		sent := !p.unsent
		if err := st.UpdateRun(t.Context(), id, l.epoch, store.RunUpdate{PromptSent: &sent}); err != nil {
			t.Fatal(err)
		}
		if err := l.finish(t.Context(), p.outcome); err != nil {
			t.Fatal(err)
		}
	}
	create("r", "now")
	return read(t, st)
}

// unreadable is the prompt of a run whose record can't be read.
const unreadable = "unreadable"

func TestATurnThatCannotBeReadIsLeftOut(t *testing.T) {
	st := openStore(t)
	turns, unread, err := turnsBefore(t.Context(), st, ran(t, st, []past{
		done("p", said("a", "first")...), done(unreadable, said("b", "second")...), done("q", said("c", "third")...),
	}))
	if err != nil || len(unread) != 1 || !strings.Contains(unread[0].Error(), "run r1: ") {
		t.Fatal(err, unread)
	}
	got, err := transcript(t.Context(), st, turns)
	if diff := cmp.Diff([]harness.Message{user("p"), agent("first"), user("q"), agent("third")}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}

	run, l := read(t, st), claim(t, st, "r")
	p := &pump{drive: &drive{Engine: &Engine{Store: st}, run: run, log: l, record: &Record{Spec: &config.Spec{}}}}
	if err := p.resume(t.Context(), nil); err != nil || len(p.history) != 4 {
		t.Errorf("the agent is told %d messages (%v)", len(p.history), err)
	}
	events, err := st.LastEvents(t.Context(), run.ID, 1)
	if err != nil || len(events) != 1 || !strings.Contains(string(events[0].Payload), `"turn_unreadable"`) {
		t.Errorf("the log ends with %v (%v)", events, err)
	}
}

func user(text string) harness.Message  { return harness.Message{Role: "user", Text: text} }
func agent(text string) harness.Message { return harness.Message{Role: "assistant", Text: text} }

func TestTranscript(t *testing.T) {
	call := agui.ToolCallStart{ToolCallID: "c", ToolCallName: "Agent"}
	sub := []agui.Event{
		agui.TextMessageStart{MessageID: "s", Role: "assistant", ParentToolCallID: "c"},
		agui.TextMessageContent{MessageID: "s", Delta: "a subagent says this"},
	}
	long := strings.Repeat("ä", transcriptMessage)
	var many []past
	for i := range 20 {
		many = append(many, done(fmt.Sprint("p", i), said("m", strings.Repeat("x", transcriptMessage-100))...))
	}
	for _, c := range []struct {
		name string
		runs []past
		want []harness.Message
	}{
		{"a thread without turns has none", nil, nil},
		{
			"turns are in order, and messages of one turn are joined",
			[]past{done("one", together(said("a", "Hel", "lo"), said("b", "bye"))...), done("two", said("c", "yes")...)},
			[]harness.Message{user("one"), agent("Hello\n\nbye"), user("two"), agent("yes")},
		},
		{"what a subagent says isn't the agent's", []past{done("p", together(said("a", "x"), []agui.Event{call}, sub)...)}, []harness.Message{user("p"), agent("x")}},
		{"a silent turn is told", []past{done("p", call)}, []harness.Message{user("p"), agent("[nothing was said in this turn; tool calls that it made: 1]")}},
		{
			"a canceled turn is told with what was said",
			[]past{{prompt: "p", events: said("a", "half"), outcome: store.Outcome{Status: store.Canceled}}},
			[]harness.Message{user("p"), agent("half\n\n[this turn was canceled before it was done]")},
		},
		{
			"a failed turn is told with its reason",
			[]past{{prompt: "p", outcome: store.Outcome{Status: store.Failed, Reason: "overloaded"}}},
			[]harness.Message{user("p"), agent("[this turn failed before it was done: overloaded]")},
		},
		{
			"a prompt that never reached an agent is left out",
			[]past{{prompt: "p", unsent: true, outcome: store.Outcome{Status: store.Failed, Reason: "bootstrap_failed"}}},
			nil,
		},
		{
			"a long message loses its middle, at characters",
			[]past{done("p", said("a", long)...)},
			[]harness.Message{user("p"), agent(shortened(long))},
		},
		{
			"of many turns the newest are kept",
			many,
			append([]harness.Message{user("[earlier turns that are left out: 12]")}, kept(many[12:])...),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := openStore(t)
			turns, unread, err := turnsBefore(t.Context(), st, ran(t, st, c.runs))
			if err != nil || len(unread) > 0 {
				t.Fatal(err, unread)
			}
			got, err := transcript(t.Context(), st, turns)
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%v\n%s", err, clipped(diff))
			}
			for _, m := range got {
				if len(m.Text) > transcriptMessage || strings.ContainsRune(m.Text, '\uFFFD') {
					t.Errorf("a message has %d bytes", len(m.Text))
				}
			}
		})
	}
}

// kept are the messages of runs that are kept whole.
func kept(runs []past) []harness.Message {
	var all []harness.Message
	for _, p := range runs {
		all = append(all, user(p.prompt), agent(p.events[1].(agui.TextMessageContent).Delta))
	}
	return all
}

func clipped(s string) string { return s[:min(len(s), 2000)] }
