package runs

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sandlot-dev/sandlot/host/internal/secrets"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// bothWays gives events to a scrubber as it is and to one that goes the long way
// with each. A nil payload stands for the host, which has a word.
func bothWays(t rapid.TB, redactor *secrets.Redactor, payloads ...[]byte) {
	t.Helper()
	var quick, long []store.Event
	a, b := &scrubber{redactor: redactor}, &scrubber{redactor: redactor}
	for _, payload := range payloads {
		if payload == nil {
			quick, long = append(quick, a.pause()...), append(long, b.pause()...)
			continue
		}
		e := store.Event{Source: store.Agent, Hash: []byte{1}, Offset: 7, Payload: payload}
		head, _, _ := agui.Cut(payload)
		quick, long = a.add(quick, e), b.long(long, e, head)
	}
	if diff := cmp.Diff(b.flush(long), a.flush(quick)); diff != "" {
		t.Fatalf("%s\n%s", bytes.Join(payloads, []byte("\n")), diff)
	}
}

func TestWhatPassesIsWhatTheLongWayGives(t *testing.T) {
	redactor := secretly(t, &log{}, "supersecret-1234", "message-0123", `p","delta":"plain`, `back\nslash`).scrub.redactor
	said := func(id, text string) []byte {
		return marshaled(t, agui.TextMessageContent{MessageID: id, Delta: text})
	}
	end := marshaled(t, agui.TextMessageEnd{MessageID: "m"})
	for _, payloads := range [][][]byte{
		{said("m", "a"), said("m", "back\nslash"), said("m", `back\nslash`)}, // one is a secret in JSON alone
		{said("message-0123", "a"), said("message-0123", "b")},
		{said("p", "a"), said("p", "plain")},
		{said("m", "sup"), said("m", "ersecret-1234 a")},
		{said("m", "sup"), nil, said("m", "ersecret-1234 a")},
		{said("m", "sup"), said("n", "a"), said("m", "ersecret-1234 a"), said("n", "b")},
		{said("m", "sup"), nil, end, said("m", "ersecret-1234 a")},
		{said("m", "a"), said("m", "\u2028"), said("m", "\x7f"), said("m", "é")},
	} {
		bothWays(t, redactor, payloads...)
	}
	rapid.Check(t, func(rt *rapid.T) {
		id := rapid.SampledFrom([]string{"m", "n", "p", "message-0123", "k\"y"})
		text := rapid.SampledFrom([]string{"", "plain", "\n", "é\u2028", `"}`, "MS0x", "sup", "ersecret-1234", "supersecret-", "back\nslash"})
		payload := rapid.Custom(func(rt *rapid.T) []byte {
			switch id, text := id.Draw(rt, "id"), text.Draw(rt, "text"); rapid.IntRange(0, 12).Draw(rt, "kind") {
			case 0:
				return marshaled(rt, agui.ReasoningMessageContent{MessageID: id, Delta: text})
			case 1:
				return marshaled(rt, agui.ToolCallArgs{ToolCallID: id, Delta: text})
			case 2:
				return marshaled(rt, agui.TextMessageEnd{MessageID: id})
			case 3:
				return marshaled(rt, agui.ToolCallStart{ToolCallID: id})
			case 4:
				return []byte("{" + text) // no event
			case 5:
				return nil
			default:
				return said(id, text)
			}
		})
		bothWays(rt, redactor, rapid.SliceOfN(payload, 1, 60).Draw(rt, "events")...)
	})
}

func TestMostPiecesPass(t *testing.T) {
	s := secretly(t, &log{}, "sk-bench-0123456789").scrub
	piece := func(text string) (head, inside, payload []byte) {
		payload = marshaled(t, agui.TextMessageContent{MessageID: "0190-7", Delta: text})
		head, inside, _ = agui.Cut(payload)
		return head, inside, payload
	}
	_, _, first := piece("Let me ")
	s.add(nil, store.Event{Payload: first})
	if !s.passes(piece("look at it.\n")) {
		t.Error("a piece of the message that goes on takes the long way")
	}
	if s.passes(piece("the key: sk-b")) {
		t.Error("the beginning of a secret passes")
	}
	s.add(nil, store.Event{Payload: marshaled(t, agui.TextMessageEnd{MessageID: "0190-7"})})
	if s.passes(piece("more")) {
		t.Error("a piece of a message that has ended passes")
	}
}

func marshaled(t rapid.TB, e agui.Event) []byte {
	t.Helper()
	payload, err := agui.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return payload
}
