package agui

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// every is one event of each type.
func every() []Event {
	return []Event{
		RunStarted{"t", "r"},
		RunFinished{"t", "r", json.RawMessage(`{"a":1}`)},
		RunError{"m", "c"},
		TextMessageStart{"m", "assistant", "p"},
		TextMessageContent{"m", "<b>&\u2028"},
		TextMessageEnd{"m"},
		ReasoningStart{"m", "p"},
		ReasoningMessageStart{"m", "reasoning", "p"},
		ReasoningMessageContent{"m", "d"},
		ReasoningMessageEnd{"m"},
		ReasoningEnd{"m"},
		ToolCallStart{"c", "n", "m", "p"},
		ToolCallArgs{"c", "{}"},
		ToolCallEnd{"c"},
		ToolCallResult{"m", "c", "x", "tool", "e"},
		Custom{"n", json.RawMessage(`[1]`)},
		Raw{json.RawMessage(`{"x":"y"}`), "acp"},
	}
}

func TestEventsComeBackAsTheyWere(t *testing.T) {
	for _, e := range every() {
		data, err := Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(data), `{"type":"`+e.EventType()+`",`) {
			t.Errorf("the type isn't first: %s", data)
		}
		back, err := Unmarshal(data)
		if diff := cmp.Diff(e, back); err != nil || diff != "" {
			t.Errorf("%s: %v %s", data, err, diff)
		}
	}
	if len(every()) != len(decoders) {
		t.Errorf("%d of %d types are tried", len(every()), len(decoders))
	}
}

func TestAnEventOfANewerWriterLosesNothing(t *testing.T) {
	in := `{"type":"SOMETHING_NEW","x":[1,2]}`
	e, err := Unmarshal([]byte(in))
	if raw, ok := e.(Raw); err != nil || !ok || string(raw.Event) != in {
		t.Errorf("got %v, %v", e, err)
	}
	if _, err := Unmarshal([]byte(`{"type":`)); err == nil {
		t.Error("half an event is decoded")
	}
}

func TestEscapingDoesNotBlowUpText(t *testing.T) {
	text := strings.Repeat("<&>", 1000)
	data, err := Marshal(TextMessageContent{"m", text})
	if err != nil || len(data) > len(text)+100 {
		t.Errorf("%d bytes of text take %d, %v", len(text), len(data), err)
	}
}

func TestSplitEventsMeanTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		max := rapid.IntRange(4, 20).Draw(t, "max")
		var joined string
		for _, e := range Split(TextMessageContent{"m", text}, max) {
			piece := e.(TextMessageContent).Delta
			if len(piece) > max {
				t.Fatalf("a piece of %d bytes, more than %d", len(piece), max)
			}
			joined += piece
			// Each is encoded by itself, so none may end inside a character.
			if valid := strings.ToValidUTF8(piece, "?"); valid != piece {
				t.Fatalf("a character is cut: %q", piece)
			}
		}
		if joined != text {
			t.Fatalf("got %q, want %q", joined, text)
		}
	})
}
