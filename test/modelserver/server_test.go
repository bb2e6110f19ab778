package modelserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// agent asks a server as an agent would.
type agent struct {
	t   *testing.T
	s   *Server
	key string
}

func (a agent) post(ctx context.Context, path, body string) (*http.Response, error) {
	a.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.s.URL()+path, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+a.key)
	req.Header.Set("X-Grok-Req-Id", "one")
	return http.DefaultClient.Do(req)
}

func (a agent) ask(path, body string) (status int, answer string) {
	a.t.Helper()
	resp, err := a.post(a.t.Context(), path, body)
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

func serve(t *testing.T, script ...Turn) agent {
	s := Start(t, Grok(), script)
	return agent{t, s, s.Key()}
}

// data are the payloads of server-sent events.
func data(stream string) []string {
	var found []string
	for line := range strings.Lines(stream) {
		if payload, ok := strings.CutPrefix(line, "data: "); ok {
			found = append(found, strings.TrimSpace(payload))
		}
	}
	return found
}

// joined is what a reader makes of a stream: text, and each call as name(arguments).
func joined(t *testing.T, stream string) string {
	t.Helper()
	var text, name, arguments string
	for _, d := range data(stream) {
		if d == "[DONE]" {
			continue
		}
		var e struct {
			Type    string
			Delta   string
			Choices []struct {
				Delta struct {
					Content   string
					ToolCalls []struct {
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
			}
			Item struct{ Name string }
		}
		// The two APIs use "delta" for a text and for an object.
		_ = json.Unmarshal([]byte(d), &e)
		switch e.Type {
		case "response.output_text.delta":
			text += e.Delta
		case "response.function_call_arguments.delta":
			arguments += e.Delta
		}
		if e.Item.Name != "" {
			name = e.Item.Name
		}
		for _, c := range e.Choices {
			text += c.Delta.Content
			for _, call := range c.Delta.ToolCalls {
				name += call.Function.Name
				arguments += call.Function.Arguments
			}
		}
	}
	if name != "" {
		text += "|" + name + arguments
	}
	return text
}

func TestEachDialectStreamsATurn(t *testing.T) {
	arguments := map[string]any{"command": "echo 你好, a rather long command line"}
	for _, path := range []string{"/chat/completions", "/responses"} {
		t.Run(path, func(t *testing.T) {
			turn := Say("Hel", "lo")
			turn.Parts = append(turn.Parts, Call{Name: "run", Arguments: arguments})
			turn.Usage = Usage{Input: 7, Output: 8}
			status, stream := serve(t, turn).ask(path, `{"model":"m","stream":true}`)
			if want := `Hello|run{"command":"echo 你好, a rather long command line"}`; status != 200 || joined(t, stream) != want {
				t.Errorf("status %d, %s, want %s\n%s", status, joined(t, stream), want, stream)
			}
			if !strings.Contains(stream, `"total_tokens":15`) {
				t.Errorf("no usage in %s", stream)
			}
		})
	}
}

func TestTheSameScriptGivesTheSameBytes(t *testing.T) {
	var all []string
	for range 2 {
		_, stream := serve(t, Use("run", map[string]any{"b": 1, "a": 2})).ask("/chat/completions", `{"stream":true}`)
		all = append(all, stream)
	}
	if diff := cmp.Diff(all[0], all[1]); diff != "" {
		t.Error(diff)
	}
}

func TestAnErrorHasItsStatusAndWordsAndComesAgain(t *testing.T) {
	a := serve(t, Fail(529, "overloaded_error", "try later"))
	for range 3 {
		status, body := a.ask("/responses", `{"stream":true}`)
		if status != 529 || !strings.Contains(body, "overloaded_error") || !strings.Contains(body, "try later") {
			t.Errorf("status %d: %s", status, body)
		}
	}
	if n := len(a.s.Asked(Main)); n != 3 || a.s.Left() != 0 {
		t.Errorf("%d requests, %d turns left", n, a.s.Left())
	}
}

func TestAnotherKeyIsRefused(t *testing.T) {
	a := serve(t)
	a.key = "wrong"
	status, body := a.ask("/chat/completions", `{}`)
	if status != http.StatusUnauthorized || !strings.Contains(body, "not valid") {
		t.Errorf("status %d: %s", status, body)
	}
	if got := a.s.Asked(Denied); len(got) != 1 {
		t.Errorf("requests: %+v", a.s.Requests())
	}
}

func TestNoRequestShowsItsKey(t *testing.T) {
	a := serve(t, Say("x"))
	a.ask("/chat/completions", `{"stream":true}`)
	for _, r := range a.s.Requests() {
		if strings.Contains(fmt.Sprint(r.Header), a.key) || r.Header.Get("Authorization") != "***" {
			t.Errorf("header %v", r.Header)
		}
	}
}

func TestSilenceLastsUntilTheAgentGoesAway(t *testing.T) {
	for _, c := range []struct {
		name string
		turn Turn
	}{
		{"before the answer", Turn{Parts: []Part{Silence{}}}},
		{"in the middle of it", Turn{Parts: []Part{Text("a"), Silence{}, Text("never")}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := serve(t, c.turn)
			ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer stop()
			resp, err := a.post(ctx, "/chat/completions", `{"stream":true}`)
			var body []byte
			if err == nil {
				defer resp.Body.Close()
				body, err = io.ReadAll(resp.Body)
			}
			if !errors.Is(err, context.DeadlineExceeded) || bytes.Contains(body, []byte("never")) {
				t.Errorf("error %v, body %s", err, body)
			}
		})
	}
}

func TestUntilHoldsTheAnswerBack(t *testing.T) {
	gate := make(chan struct{})
	a := serve(t, Turn{Parts: []Part{Text("first"), Until(gate), Text("second")}})
	resp, err := a.post(t.Context(), "/chat/completions", `{"stream":true}`)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	first := make([]byte, 4096)
	n, err := resp.Body.Read(first)
	if err != nil || !bytes.Contains(first[:n], []byte("first")) || bytes.Contains(first[:n], []byte("second")) {
		t.Fatalf("%v: %s", err, first[:n])
	}
	close(gate)
	if rest, err := io.ReadAll(resp.Body); err != nil || !bytes.Contains(rest, []byte("second")) {
		t.Errorf("%v: %s", err, rest)
	}
}

func TestResultsOfToolsAreRead(t *testing.T) {
	want := []Result{{Call: "c1", Text: "done"}}
	for path, body := range map[string]string{
		"/chat/completions": `{"stream":true,"messages":[{"role":"user","content":"x"},{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"done"}]}]}`,
		"/responses":        `{"stream":true,"input":[{"type":"message","content":"x"},{"type":"function_call_output","call_id":"c1","output":"done"}]}`,
	} {
		a := serve(t, Say("ok"))
		a.ask(path, body)
		if diff := cmp.Diff(want, a.s.Asked(Main)[0].Results); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", path, diff)
		}
	}
}

func TestAnAnswerThatIsNotStreamedIsWhole(t *testing.T) {
	for path, want := range map[string]string{"/chat/completions": `"content":"Hello"`, "/responses": `"text":"Hello"`} {
		if _, body := serve(t, Say("Hel", "lo")).ask(path, `{"model":"m"}`); !strings.Contains(body, want) {
			t.Errorf("%s: %s, want %s", path, body, want)
		}
	}
}

// watched is a test that only notes whether it failed.
type watched struct {
	testing.TB
	errors   []string
	cleanups []func()
}

func (w *watched) Helper()                   {}
func (w *watched) Failed() bool              { return len(w.errors) > 0 }
func (w *watched) Cleanup(f func())          { w.cleanups = append(w.cleanups, f) }
func (w *watched) Errorf(f string, a ...any) { w.errors = append(w.errors, fmt.Sprintf(f, a...)) }
func (w *watched) ended() []string {
	for _, f := range slices.Backward(w.cleanups) {
		f()
	}
	return w.errors
}

func TestWhatTheScriptDoesNotHaveFailsTheTest(t *testing.T) {
	for _, c := range []struct {
		name, path, body, says string
		script                 Script
	}{
		{"an unknown path", "/embeddings", `{}`, "POST /v1/embeddings", nil},
		{"a turn too many", "/chat/completions", `{"stream":true}`, "only 0 turns", nil},
		{"a body that can't be read", "/chat/completions", `{`, "decode chat request", nil},
		{"a turn that nobody asks for", "/chat/completions", `{"stream":true}`, "left 1 of 2", Script{Say("a"), Say("b")}},
		{"a call where none can be", "/chat/completions", `{}`, "isn't streamed", Script{Use("run", nil)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &watched{TB: t}
			s := Start(w, Grok(), c.script)
			agent{t, s, s.Key()}.ask(c.path, c.body)
			if got := strings.Join(w.ended(), "\n"); !strings.Contains(got, c.says) {
				t.Errorf("the test fails with %q, want %q in it", got, c.says)
			}
		})
	}
}

func TestMistakesInAScriptAreFound(t *testing.T) {
	for _, s := range []Script{
		{Fail(500, "", ""), Say("never")},
		{{Parts: []Part{Text("a"), Failure{Status: 500}}}},
	} {
		if s.check() == nil {
			t.Errorf("%+v passes", s)
		}
	}
}

func TestWhatGrokAsksBesideIsAnswered(t *testing.T) {
	s := Start(t, Grok(), nil)
	for path, want := range map[string]int{"/v1/models": 200, "/v1/api-key": 404, "/": 404} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(s.URL(), "/v1")+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+s.Key())
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil || resp.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, resp.StatusCode, want)
		}
	}
	if n := len(s.Asked(Fixed)); n != 3 {
		t.Errorf("%d requests", n)
	}
}
