package store

import (
	"context"
	"encoding/json"
	"testing"
)

var anewChecks = map[string]check{
	"an agent that begins anew counts as not started, and its thread forgets the session": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		sent, proc, launch := true, "p", json.RawMessage(`{"first":true}`)
		must(t, s.UpdateRun(t.Context(), "r", epoch, RunUpdate{Launch: &launch, Proc: &proc, PromptSent: &sent}))
		r := got[Run](t)(s.Run(t.Context(), "r"))
		must(t, s.SetThreadSession(t.Context(), r.Thread, "s1", "/w"))
		must(t, s.BeginAnew(t.Context(), "r", epoch, json.RawMessage(`{"second":true}`), texts(1)))
		r = got[Run](t)(open().Run(t.Context(), "r"))
		same(t, "launch", string(r.Launch), `{"second":true}`)
		if r.Proc != "" || r.PromptSent || len(log(t, s, "r")) != 1 {
			t.Errorf("run is %+v with %d events", r, len(log(t, s, "r")))
		}
		if th := got[Thread](t)(s.ThreadByID(t.Context(), r.Thread)); th.Session != "" || th.SessionDir != "" {
			t.Errorf("thread is %+v", th)
		}
	},
	"a driver that lost its claim begins nothing anew": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		wantErr(t, s.BeginAnew(t.Context(), "r", epoch-1, json.RawMessage(`{}`), texts(1)), ErrFenced)
		same(t, "events", len(log(t, s, "r")), 0)
	},
	"the agent's events of a kind are listed in order": func(t *testing.T, open func() *Store) {
		s := open()
		epoch := claimed(t, s, "r")
		var events []Event
		for _, e := range []struct{ source, payload string }{
			{Agent, `{"type":"A_START","n":1}`}, {Host, `{"type":"A_START","n":2}`}, {Agent, `{"type":"B","a":"A_"}`}, {Agent, `{"type":"A_END","n":3}`},
		} {
			events = append(events, Event{Source: e.source, Payload: []byte(e.payload)})
		}
		got[int64](t)(s.Append(t.Context(), "r", epoch, events))
		var all []string
		must(t, s.EachOf(t.Context(), "r", "A_", func(p []byte) error { all = append(all, string(p)); return nil }))
		same(t, "events", all, []string{`{"type":"A_START","n":1}`, `{"type":"A_END","n":3}`})
		wantErr(t, s.EachOf(t.Context(), "r", "A_", func([]byte) error { return context.Canceled }), context.Canceled)
	},
}
