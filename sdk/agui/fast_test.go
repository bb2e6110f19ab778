package agui

import (
	"bytes"
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
	for _, text := range []string{`\/`, "\x7f", `\b`, `\u0041`, `a\`, `\"`, `\\`} {
		f.Add("m", text, []byte(headText+"m"+headDelta+text+`"}`))
		f.Add("m", text, []byte(headReasoning+text+headDelta+`d"}`))
	}
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
		cutIsWhatMarshalWrites(t, data)
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

// cutIsWhatMarshalWrites takes a piece apart and puts it together again.
func cutIsWhatMarshalWrites(t *testing.T, data []byte) {
	t.Helper()
	head, text, ok := Cut(data)
	if !ok {
		return
	}
	e, err := unmarshal(data)
	if err != nil {
		t.Fatalf("%q is no JSON: %v", data, err)
	}
	again, err := marshal(e)
	if err != nil || string(again) != string(data) {
		t.Errorf("%q isn't what Marshal writes, %q (%v)", data, again, err)
	}
	var delta string
	switch e := e.(type) {
	case TextMessageContent:
		delta = e.Delta
	case ReasoningMessageContent:
		delta = e.Delta
	case ToolCallArgs:
		delta = e.Delta
	}
	if delta != string(text) || !bytes.HasPrefix(data, head) {
		t.Errorf("%q is cut into %q and %q", data, head, text)
	}
}

func TestUsualPiecesAreWrittenAndReadFast(t *testing.T) {
	for _, text := range []string{"words", "ümlaut \n\t\"quoted\" \\ <b>&"} {
		data, ok := appendFast(nil, TextMessageContent{"0190-1", text})
		if !ok {
			t.Fatalf("%q isn't", text)
		}
		if _, cut, ok := Cut(data); !ok || string(cut) != text {
			t.Errorf("%s is cut to %q, %t", data, cut, ok)
		}
		if e, ok := readFast(data); !ok || e != (TextMessageContent{"0190-1", text}) {
			t.Errorf("%s is read as %#v, %t", data, e, ok)
		}
	}
}
