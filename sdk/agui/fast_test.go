package agui

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzPieces compares both ways of writing and reading a piece of text.
func FuzzPieces(f *testing.F) {
	for _, text := range []string{"", "plain", "\"\\/\n\r\t", "\b\f\x00\x1f\x7f", "é\u2028\u2029 \u2027", "\xff\xe2\x80", "\xe2", "\ufffd"} {
		f.Add(text, text, []byte(headText+text+headDelta+text+`"}`))
		f.Add("m", text, []byte(headArgs+"m"+headDelta+text+`"}`))
	}
	f.Add("m", "d", []byte(headText+`m","delta":"a","delta":"b"}`))
	f.Add("m", "d", []byte(headText+`\u0041","delta":"\u0041"}`))
	f.Fuzz(func(t *testing.T, id, delta string, data []byte) {
		for _, e := range []Event{TextMessageContent{id, delta}, ReasoningMessageContent{id, delta}, ToolCallArgs{id, delta}} {
			fast, ok := appendFast(nil, e)
			if !ok {
				continue
			}
			slow, err := marshal(e)
			if err != nil || string(fast) != string(slow) {
				t.Errorf("%#v is written as %s, not %s (%v)", e, fast, slow, err)
			}
		}
		fast, ok := readFast(data)
		if !ok {
			return
		}
		slow, err := unmarshal(data)
		if diff := cmp.Diff(slow, fast); err != nil || diff != "" {
			t.Errorf("%q is read otherwise: %v %s", data, err, diff)
		}
	})
}

func TestUsualPiecesAreWrittenAndReadFast(t *testing.T) {
	for _, text := range []string{"words", "ümlaut \n\t\"quoted\" \\ <b>&"} {
		data, ok := appendFast(nil, TextMessageContent{"0190-1", text})
		if !ok {
			t.Fatalf("%q isn't", text)
		}
		if e, ok := readFast(data); !ok || e != (TextMessageContent{"0190-1", text}) {
			t.Errorf("%s is read as %#v, %t", data, e, ok)
		}
	}
}
