package runs

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/agui"
)

func TestWhatIsLeftOpenIsClosed(t *testing.T) {
	st := openStore(t)
	l := claimed(t, st, "r")
	var all [][]byte
	for _, e := range []agui.Event{
		agui.TextMessageStart{MessageID: "t1", Role: "assistant"},
		agui.TextMessageEnd{MessageID: "t1"},
		agui.ToolCallStart{ToolCallID: "c1", ToolCallName: "n"},
		agui.ToolCallArgs{ToolCallID: "c1", Delta: "{}"},
		agui.ToolCallEnd{ToolCallID: "c1"},
		agui.ToolCallResult{MessageID: "m", ToolCallID: "c1", Role: "tool"},
		agui.ToolCallStart{ToolCallID: "c2", ToolCallName: "n"},
		agui.ToolCallEnd{ToolCallID: "c2"},
		agui.ToolCallStart{ToolCallID: "c3", ToolCallName: "n"},
		agui.ReasoningStart{MessageID: "s"},
		agui.ReasoningMessageStart{MessageID: "s1", Role: "reasoning"},
		agui.TextMessageStart{MessageID: "t2", Role: "assistant"},
	} {
		all = append(all, mustMarshal(t, e))
	}
	if err := l.agent(t.Context(), all, 1); err != nil {
		t.Fatal(err)
	}
	closings, err := l.closings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []agui.Event
	for _, e := range closings {
		event, err := agui.Unmarshal(e.Payload)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, event)
	}
	want := []agui.Event{
		agui.TextMessageEnd{MessageID: "t2"},
		agui.ReasoningMessageEnd{MessageID: "s1"},
		agui.ReasoningEnd{MessageID: "s"},
		agui.ToolCallResult{MessageID: "r-end-1", ToolCallID: "c2", Role: "tool", Error: "interrupted"},
		agui.ToolCallEnd{ToolCallID: "c3"},
		agui.ToolCallResult{MessageID: "r-end-2", ToolCallID: "c3", Role: "tool", Error: "interrupted"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func mustMarshal(t *testing.T, e agui.Event) []byte {
	t.Helper()
	data, err := agui.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
