package modelserver

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tokens is how the messages API counts.
type tokens struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
}

// read is what a reader makes of a stream of the messages API.
func read(t *testing.T, stream string) (blocks []string, stop string, used Usage) {
	t.Helper()
	for _, d := range data(stream) {
		var e struct {
			Type  string
			Index int
			Block struct{ Type, Name string } `json:"content_block"`
			Delta struct {
				Text, Thinking string
				JSON           string `json:"partial_json"`
				Stop           string `json:"stop_reason"`
			}
			Message struct{ Usage tokens }
			Usage   tokens
		}
		if err := json.Unmarshal([]byte(d), &e); err != nil {
			t.Fatal(err)
		}
		switch e.Type {
		case "message_start":
			used.Input = e.Message.Usage.Input
		case "content_block_start":
			if e.Index != len(blocks) {
				t.Errorf("block %d comes after %d others", e.Index, len(blocks))
			}
			blocks = append(blocks, e.Block.Type+" "+e.Block.Name)
		case "content_block_delta":
			blocks[e.Index] += e.Delta.Text + e.Delta.Thinking + e.Delta.JSON
		case "message_delta":
			stop, used.Output = e.Delta.Stop, e.Usage.Output
		}
	}
	return blocks, stop, used
}

func TestTheMessagesAPIStreamsBlocks(t *testing.T) {
	turn := Turn{Usage: Usage{Input: 7, Output: 8}, Parts: []Part{
		Thought("I "), Thought("think"), Text("Hel"), Text("lo"),
		Call{Name: "a", Arguments: map[string]any{"text": "a rather long argument 你好"}},
		Call{Name: "b", Arguments: map[string]any{}},
	}}
	status, stream := serve(t, turn).ask("/messages", `{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}]}`)
	blocks, stop, used := read(t, stream)
	want := []string{"thinking I think", "text Hello", `tool_use a{"text":"a rather long argument 你好"}`, "tool_use b{}"}
	if diff := cmp.Diff(want, blocks); diff != "" || status != http.StatusOK || stop != "tool_use" || used != turn.Usage {
		t.Errorf("status %d, stop %q, used %+v\n%s", status, stop, used, diff)
	}
	if strings.Count(stream, "event: content_block_stop") != 4 || strings.Count(stream, "event: message_start") != 1 || !strings.HasSuffix(stream, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n") {
		t.Errorf("the frames don't pair:\n%s", stream)
	}
}

func TestAnEmptyAnswerIsStillAMessage(t *testing.T) {
	_, stream := serve(t, Turn{}).ask("/messages", `{"stream":true}`)
	if blocks, stop, _ := read(t, stream); len(blocks) != 0 || stop != "end_turn" || !strings.Contains(stream, "event: message_start") {
		t.Error(stream)
	}
}

func TestTheMessagesAPIReadsResults(t *testing.T) {
	a := serve(t, Say("x"))
	a.ask("/messages", `{"messages":[{"role":"user","content":"go"},{"role":"user","content":[
		{"type":"tool_result","tool_use_id":"1","content":"plain"},
		{"type":"tool_result","tool_use_id":"2","content":[{"type":"text","text":"in a block"}]},{"type":"text","text":"no result"}]}]}`)
	if diff := cmp.Diff([]Result{{"1", "plain"}, {"2", "in a block"}}, a.s.Requests()[0].Results); diff != "" {
		t.Error(diff)
	}
}

func TestTheMessagesAPIHasItsOwnErrors(t *testing.T) {
	status, body := serve(t, Fail(529, "overloaded_error", "try later")).ask("/messages", `{"stream":true}`)
	if status != 529 || !strings.Contains(body, `{"type":"overloaded_error","message":"try later"}`) && !strings.Contains(body, `{"message":"try later","type":"overloaded_error"}`) {
		t.Errorf("status %d: %s", status, body)
	}
}
