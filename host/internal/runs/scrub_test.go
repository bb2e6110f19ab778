package runs

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// scrubbed gives events to a scrubber and returns what comes out.
func scrubbedEvents(t rapid.TB, s *scrubber, events ...agui.Event) []agui.Event {
	t.Helper()
	var out []agui.Event
	read := func(all []store.Event) {
		for _, e := range all {
			event, err := agui.Unmarshal(e.Payload)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, event)
		}
	}
	for _, e := range events {
		payload, err := agui.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		read(s.add(nil, store.Event{Payload: payload}))
	}
	read(s.flush(nil))
	return out
}

func textPieces(id string, pieces ...string) []agui.Event {
	var all []agui.Event
	for _, p := range pieces {
		all = append(all, agui.TextMessageContent{MessageID: id, Delta: p})
	}
	return all
}

// said is the whole text of a message.
func saidBy(id string, events []agui.Event) string {
	var b strings.Builder
	for _, e := range events {
		if d, ok := deltaOf(e); ok && d.of == id {
			b.WriteString(d.text)
		}
	}
	return b.String()
}

func TestASecretCutAnywhereIsScrubbed(t *testing.T) {
	const value = "supersecret-1234"
	redactor := secretly(t, &log{}, value).scrub.redactor
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.SampledFrom([]string{"", "key: ", "su", "supersecret-123 "}).Draw(rt, "before") +
			value + rapid.SampledFrom([]string{"", " end", "super"}).Draw(rt, "after")
		events := textPieces("m", cut(rt, text)...)
		n := len(events)
		got := scrubbedEvents(rt, &scrubber{redactor: redactor}, append(events, agui.TextMessageEnd{MessageID: "m"})...)
		if want := strings.ReplaceAll(text, value, "***"); saidBy(ofText+"m", got) != want || len(got) != n+1 {
			rt.Fatalf("got %q in %d events, want %q in %d", saidBy(ofText+"m", got), len(got), want, n+1)
		}
	})
}

func cut(rt *rapid.T, text string) []string {
	var pieces []string
	for rest := text; rest != ""; {
		n := rapid.IntRange(1, min(len(rest), 12)).Draw(rt, "piece")
		for n < len(rest) && !utf8.RuneStart(rest[n]) {
			n++
		}
		pieces, rest = append(pieces, rest[:n]), rest[n:]
	}
	return pieces
}

func TestWhatStandsBetweenPiecesDoesNotLetASecretThrough(t *testing.T) {
	tests := []struct {
		name   string
		events []agui.Event
		want   string // of message m
		others string // of message n
	}{
		{"another message between", append(append(textPieces("m", "key: super"), textPieces("n", "hello")...), textPieces("m", "secret-1234 ok")...), "key: *** ok", "hello"},
		{
			"another message at each letter",
			interleaved("m", "n", "supersecret-1234"), "sup***", "abcdefghijklmnop",
		},
		{"the same in two messages", interleaved("m", "n", "supersecret-1234", "supersecret-1234"), "sup***", "sup***"},
		{"what only began as one", append(append(textPieces("m", "a su"), textPieces("n", "x")...), textPieces("m", "nny day")...), "a sunny day", "x"},
		{"what is lost of what began as one for long", append(append(textPieces("m", "a supers"), textPieces("n", "x")...), textPieces("m", "onic bang")...), "a ***onic bang", "x"},
		{"the end of a message", append(textPieces("m", "a supersec"), agui.TextMessageEnd{MessageID: "m"}), "a ***", ""},
		{"a short one at the end of a message", append(textPieces("m", "a super"), agui.TextMessageEnd{MessageID: "m"}), "a super", ""},
		{"the end of the log", textPieces("m", "a super"), "a ***", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &scrubber{redactor: secretly(t, &log{}, "supersecret-1234").scrub.redactor}
			got := scrubbedEvents(t, s, tt.events...)
			m, n := saidBy(ofText+"m", got), saidBy(ofText+"n", got)
			if len(got) != len(tt.events) || m != tt.want || n != tt.others {
				t.Errorf("got %d events, %q and %q; want %d, %q and %q", len(got), m, n, len(tt.events), tt.want, tt.others)
			}
		})
	}
}

func TestAnEventThatIsNoPieceOfAnythingIsScrubbedByItself(t *testing.T) {
	const value = `super"secret-1234`
	for _, event := range []agui.Event{
		agui.ToolCallResult{MessageID: "m", ToolCallID: "c", Role: "tool", Content: "it is " + value},
		agui.ToolCallStart{ToolCallID: "c", ToolCallName: value},
		agui.NewWarning("code", value),
		agui.Raw{Event: json.RawMessage(`{"type":"new","text":"super\"secret-1234"}`)},
	} {
		t.Run(event.EventType(), func(t *testing.T) {
			s := &scrubber{redactor: secretly(t, &log{}, value).scrub.redactor}
			got, err := agui.Marshal(scrubbedEvents(t, s, event)[0])
			if err != nil || strings.Contains(string(got), "secret-1234") || !strings.Contains(string(got), "***") {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
	s := &scrubber{redactor: secretly(t, &log{}, value).scrub.redactor}
	if got := s.add(nil, store.Event{Payload: []byte(`{"type":"NEW","text":"super\"secret-1234"}`)}); len(got) != 1 || string(got[0].Payload) != `{"type":"NEW","text":"***"}` {
		t.Errorf("of an event that isn't ours: %+v", got)
	}
}

func interleaved(m, n, text string, other ...string) []agui.Event {
	second := "abcdefghijklmnopqrstuvwxyz"
	if len(other) > 0 {
		second = other[0]
	}
	var all []agui.Event
	for i := range len(text) {
		all = append(all, textPieces(m, text[i:i+1])[0], textPieces(n, second[i:i+1])[0])
	}
	return all
}

func TestMessagesThatNeverEndAreForgotten(t *testing.T) {
	s := &scrubber{redactor: secretly(t, &log{}, "supersecret-1234").scrub.redactor}
	for i := range 3 * mostOpen {
		scrubbedEvents(t, s, textPieces(fmt.Sprint(i), "x super")...)
		scrubbedEvents(t, s, textPieces("kept", "a")...)
	}
	if len(s.messages.all) != mostOpen || s.messages.all[ofText+"kept"] == nil {
		t.Errorf("%d messages are remembered", len(s.messages.all))
	}
}

// Whatever the secret, however it is encoded, cut, and mixed with other messages:
// no message has it.
func TestNoMessageCanBeJoinedToASecret(t *testing.T) {
	letters := rapid.RuneFrom([]rune(`abcXYZ0189 "'\/&<>+=%-_:.~` + "\té漢"))
	encodings := map[string]func(string) string{
		"plain":  func(s string) string { return s },
		"json":   func(s string) string { b, _ := json.Marshal(s); return string(b) },
		"query":  url.QueryEscape,
		"path":   url.PathEscape,
		"base64": func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"shift1": func(s string) string { return base64.URLEncoding.EncodeToString([]byte("x" + s + "y")) },
		"shift2": func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte("xx" + s + "yy")) },
		"hex":    func(s string) string { return hex.EncodeToString([]byte(s)) },
		"HEX":    func(s string) string { return fmt.Sprintf("% X", s) },
		"go":     func(s string) string { return fmt.Sprintf("%q", s) },
	}
	names := []string{"plain", "json", "query", "path", "base64", "shift1", "shift2", "hex", "HEX", "go"}
	rapid.Check(t, func(rt *rapid.T) {
		value := rapid.StringOfN(letters, 8, 24, -1).Draw(rt, "secret")
		redactor := secretly(t, &log{}, value).scrub.redactor
		var queues [3][]agui.Event
		for i := range queues {
			name := rapid.SampledFrom(names).Draw(rt, "encoding")
			text := "<" + encodings[name](value) + ">"
			for _, piece := range cut(rt, text) {
				id := fmt.Sprint(i)
				queues[i] = append(queues[i], []agui.Event{
					agui.TextMessageContent{MessageID: id, Delta: piece}, agui.ReasoningMessageContent{MessageID: id, Delta: piece}, agui.ToolCallArgs{ToolCallID: id, Delta: piece},
				}[i])
			}
		}
		var events []agui.Event
		for len(queues[0])+len(queues[1])+len(queues[2]) > 0 {
			i := rapid.IntRange(0, 2).Draw(rt, "next")
			for len(queues[i]) == 0 {
				i = (i + 1) % 3
			}
			events, queues[i] = append(events, queues[i][0]), queues[i][1:]
		}
		got := scrubbedEvents(rt, &scrubber{redactor: redactor}, events...)
		for _, of := range []string{ofText + "0", ofReasoning + "1", ofArguments + "2"} {
			whole := saidBy(of, got)
			if !strings.Contains(whole, "***") {
				rt.Fatalf("%q has nothing replaced", whole)
			}
			for name, encode := range encodings {
				form := encode(value)
				if strings.HasPrefix(name, "shift") {
					form = form[4 : len(form)-4]
				}
				if len(form) >= 8 && strings.Contains(whole, form) {
					rt.Fatalf("%q has the secret as %s", whole, name)
				}
			}
		}
	})
}

func BenchmarkScrubDeltas(b *testing.B) {
	redactor := secretly(b, &log{}, "sk-ant-api03-0123456789abcdef", "ghp_0123456789abcdefghijklmnopqrstuvwxyz").scrub.redactor
	s := &scrubber{redactor: redactor}
	payload, err := agui.Marshal(agui.TextMessageContent{MessageID: "msg_0123456789", Delta: " the quick brown fox jumps"})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var out []store.Event
	for b.Loop() {
		out = s.add(out[:0], store.Event{Payload: payload})
	}
}

func TestHideFindsWhatIsEncoded(t *testing.T) {
	hide := Hide([]string{`a"b<c>d-0123`})
	if got := string(hide([]byte(`x "a\"b<c>d-0123" a%22b%3Cc%3Ed-0123 ` + hex.EncodeToString([]byte(`a"b<c>d-0123`))))); got != `x "***" *** ***` {
		t.Errorf("got %s", got)
	}
}
