package harnesstest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/harnesstest"
)

// captured is a session of a client that counts its requests from 1, and asks
// for a list that no other client needs.
const captured = `{"dir":"note","msg":"start"}
{"dir":"client>agent","msg":{"id":1,"method":"open"}}
{"dir":"agent>client","msg":{"id":1,"result":{}}}
{"dir":"client>agent","msg":{"id":2,"method":"list"}}
{"dir":"client>agent","msg":{"id":3,"method":"prompt"}}
{"dir":"agent>client","msg":{"id":2,"result":[]}}
{"dir":"agent>client","msg":{"method":"say","params":"hello"}}
{"dir":"agent>client","msg":{"id":0,"method":"may I","params":"write"}}
{"dir":"agent>client","msg":{"id":1,"method":"may I","params":"run"}}
{"dir":"client>agent","msg":{"id":1,"result":"no"}}
{"dir":"client>agent","msg":{"id":0,"result":"yes"}}
{"dir":"client>agent","msg":{"method":"stop"}}
{"dir":"agent>client","msg":{"id":3,"result":"stopped"}}
`

// rpc is a client with ids of its own.
type rpc struct {
	ids      []string
	requests []string // made one after the other; the last is never answered
	stop     string
	asks     map[string]json.RawMessage
}

func (c rpc) Run(_ context.Context, s *harness.Session) error {
	s.Launch(harness.Launch{Argv: []string{"agent"}, Stdin: harness.StdinDuplex})
	c.asks = map[string]json.RawMessage{}
	made := 0
	request := func() {
		s.Write(fmt.Appendf(nil, `{"id":%s,"method":%q}`+"\n", c.ids[made], c.requests[made]))
		made++
	}
	request()
	r := harness.Result{Reason: harness.ReasonOK}
	for {
		m, err := s.Next()
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case *harness.Lines:
			for line := range bytes.Lines(m.Data) {
				var l struct {
					ID, Params json.RawMessage
					Method     string
				}
				if err := json.Unmarshal(line, &l); err != nil {
					return err
				}
				event, err := agui.NewCustom("line", map[string]json.RawMessage{"line": line})
				if err != nil {
					return err
				}
				s.Emit(event)
				switch {
				case l.Method == "may I":
					c.asks[s.Ask(harness.Ask{Kind: harness.AskTool, Target: string(l.Params), Title: "t"})] = l.ID
				case l.Method == "" && made < len(c.requests) && string(l.ID) == c.ids[made-1]:
					request()
				}
			}
		case *harness.Decision:
			s.Write(fmt.Appendf(nil, `{"id":%s,"result":%q}`+"\n", c.asks[m.Ask], m.Option))
		case *harness.Cancel:
			r = harness.Result{Reason: harness.ReasonCanceled, Message: "canceled"}
			s.Write(fmt.Appendf(nil, `{"method":%q}`+"\n", c.stop))
		case *harness.Exit:
			return s.Done(r)
		}
	}
}

func goodClient() rpc {
	return rpc{ids: []string{`"a"`, "17"}, requests: []string{"open", "prompt"}, stop: "stop"}
}

func retell(t *testing.T, c rpc, spoil func(*harnesstest.Retelling)) (*harnesstest.Retold, error) {
	t.Helper()
	transcript, err := harnesstest.ReadTranscript([]byte(captured))
	if err != nil {
		t.Fatal(err)
	}
	r := harnesstest.Retelling{
		Open: harnesstest.Direct(c), Start: start, Cancel: "stop", Leave: []string{"list"}, Timeout: time.Second,
		Decide: func(a *harness.Ask, answer json.RawMessage) *harness.Decision {
			return &harness.Decision{Option: a.Target + string(answer)}
		},
	}
	if spoil != nil {
		spoil(&r)
	}
	return r.Run(t.Context(), transcript)
}

func TestATranscriptIsRetoldWithTheIDsOfTheHarness(t *testing.T) {
	var r *harnesstest.Retold
	synctest.Test(t, func(t *testing.T) {
		var err error
		if r, err = retell(t, goodClient(), nil); err != nil {
			t.Fatal(err)
		}
	})
	wantOutput := `{"id":"a","result":{}}
{"method":"say","params":"hello"}
{"id":0,"method":"may I","params":"write"}
{"id":1,"method":"may I","params":"run"}
{"id":17,"result":"stopped"}
`
	if diff := cmp.Diff(wantOutput, string(r.Output)); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	wantInput := `{"id":"a","method":"open"}
{"id":17,"method":"prompt"}
{"id":1,"result":"\"run\"\"no\""}
{"id":0,"result":"\"write\"\"yes\""}
{"method":"stop"}
`
	if diff := cmp.Diff(wantInput, string(r.Input())); diff != "" {
		t.Errorf("input (-want +got):\n%s", diff)
	}
	if r.Result.Reason != harness.ReasonCanceled {
		t.Errorf("reason %s", r.Result.Reason)
	}
}

func TestARetellingSaysWhereAHarnessWentAnotherWay(t *testing.T) {
	for _, c := range []struct {
		name   string
		client func(*rpc)
		way    func(*harnesstest.Retelling)
		want   string
	}{
		{"a request that the harness doesn't make", nil, func(r *harnesstest.Retelling) { r.Leave = nil }, "message 3 of 12: wait for a request list"},
		{"another request", func(c *rpc) { c.requests[1] = "ask" }, nil, "message 4 of 12: wait for a request prompt"},
		{"a question that isn't answered", nil, func(r *harnesstest.Retelling) { r.Decide = nil }, "message 9 of 12: wait for an answer to the agent's request 1"},
		{"another way to stop", func(c *rpc) { c.stop = "halt" }, nil, "message 11 of 12: wait for a notification stop"},
		{"no cancel", nil, func(r *harnesstest.Retelling) { r.Cancel = "" }, "message 11 of 12: wait for a notification stop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := goodClient()
			if c.client != nil {
				c.client(&client)
			}
			synctest.Test(t, func(t *testing.T) { // the timeout comes when all wait, and not before
				_, err := retell(t, client, c.way)
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want one with %q", err, c.want)
				}
			})
		})
	}
}

func TestATranscriptThatIsNoneIsRefused(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"a line that isn't JSON", "{\"dir\":\"note\"}\n{", "line 2"},
		{"a line without a message", `{"dir":"agent>client"}`, "it has no msg"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := harnesstest.ReadTranscript([]byte(c.data))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestATranscriptIsCutBeforeATurn(t *testing.T) {
	transcript, err := harnesstest.ReadTranscript([]byte(captured + captured))
	if err != nil {
		t.Fatal(err)
	}
	if got := len(transcript.Before("open", 2)); got != 12 {
		t.Errorf("%d messages before the second turn, want 12", got)
	}
	if got := len(transcript.Before("open", 3)); got != 24 {
		t.Errorf("%d messages before a turn that isn't there, want all 24", got)
	}
}

func TestARawEventOfAnUnlistedKindIsFound(t *testing.T) {
	e := good()
	e.text = func(s *harness.Session, _, _ string) { s.Emit(agui.Raw{Event: json.RawMessage(`{"kind":"odd"}`)}) }
	got := failures(t, func(f harnesstest.T) {
		harnesstest.Replay(f, harnesstest.Direct(e), start, []byte(output), harnesstest.Options{
			Raw: func(e json.RawMessage) bool { return !strings.Contains(string(e), "odd") },
		})
	})
	if !strings.Contains(got, "of a kind that isn't listed") {
		t.Errorf("the suite said:\n%s", got)
	}
}
