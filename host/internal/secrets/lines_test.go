package secrets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func through(l *Lines, pieces ...string) string {
	var out bytes.Buffer
	for _, p := range pieces {
		out.Write(l.Redact([]byte(p)))
	}
	out.Write(l.Close())
	return out.String()
}

func TestLinesScrubWhatIsToldInPieces(t *testing.T) {
	r := set(t, map[string]string{"S": canary, "PEM": "first-line-1\nsecond-line-2"}).Redactor()
	for _, c := range []struct{ name, in, want string }{
		{"a secret over lines", `{"d":{"text":"a canary-"},"n":1}` + "\n" + `{"d":{"text":"value-4711 b"},"n":2}` + "\n", `{"d":{"text":"a ***"},"n":1}` + "\n" + `{"d":{"text":" b"},"n":2}` + "\n"},
		{"with others between", `{"i":0,"t":"canary"}` + "\n" + `{"i":1,"t":"hello"}` + "\n" + `{"i":0,"t":"-value-4711"}` + "\n", `{"i":0,"t":"***"}` + "\n" + `{"i":1,"t":"hello"}` + "\n" + `{"i":0,"t":""}` + "\n"},
		{"with an id in each line", `{"uuid":"a","t":["canary-val"]}` + "\n" + `{"uuid":"b","t":["ue-4711"]}` + "\n", `{"uuid":"a","t":["***"]}` + "\n" + `{"uuid":"b","t":[""]}` + "\n"},
		{"whole in one line", `{"t":"x ` + canary + ` y"}`, `{"t":"x *** y"}`},
		{"as the name of a member", `{"` + canary + `":1}`, `{"***":1}`},
		{"what is only like the beginning", `{"t":"can"}` + "\n" + `{"t":" do"}` + "\n", `{"t":"can"}` + "\n" + `{"t":" do"}` + "\n"},
		{"nothing changes what has none", "{ \"a\" : [1.50,null,true, \"\\u0041\" ] }\nno JSON {\n{broken\n", "{ \"a\" : [1.50,null,true, \"\\u0041\" ] }\nno JSON {\n{broken\n"},
		{"text over lines", "x first-line-1\nsecond-line-2\n", "x ***\n"},
		{"no line's end", "x " + canary, "x ***"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := through(r.Lines(), c.in); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestALongLineIsNotHeld(t *testing.T) {
	r := set(t, map[string]string{"S": canary}).Redactor()
	l := r.Lines()
	long := strings.Repeat("x", longLine)
	if n := len(l.Redact([]byte(long))) + len(l.Redact([]byte("xx"))); n < longLine {
		t.Errorf("%d bytes came out", n)
	}
	if got := through(l, canary[:5], canary[5:]+"\n"); got != "***\n" {
		t.Errorf("got %q", got)
	}
	if got := through((*Redactor)(nil).Lines(), "a", "b"); got != "ab" {
		t.Errorf("without secrets: got %q", got)
	}
}

// However a secret is cut, over lines of two messages, and the lines over reads:
// the texts joined don't have it, and each line is still JSON.
func TestLinesCanNotBeJoinedToASecret(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		value := rapid.StringOfN(rapid.RuneFrom([]rune(`ab"\é&1`)), 8, 14, -1).Draw(rt, "secret")
		if len(value) < shortest {
			return
		}
		r := set(rt, map[string]string{"S": value}).Redactor()
		var in bytes.Buffer
		rest := [2]string{"<" + value + ">", "(" + value + ")"}
		for n := 0; rest[0]+rest[1] != ""; n++ {
			i := rapid.IntRange(0, 1).Draw(rt, "message")
			if rest[i] == "" {
				i = 1 - i
			}
			cut := rapid.IntRange(1, min(len(rest[i]), 6)).Draw(rt, "cut")
			for cut < len(rest[i]) && !utf8.RuneStart(rest[i][cut]) {
				cut++
			}
			text, _ := json.Marshal(rest[i][:cut])
			fmt.Fprintf(&in, `{"message":%d,"uuid":"%d","text":%s}`+"\n", i, n, text)
			rest[i] = rest[i][cut:]
		}
		var reads []string
		for data := in.String(); data != ""; {
			n := rapid.IntRange(1, len(data)).Draw(rt, "read")
			reads, data = append(reads, data[:n]), data[n:]
		}
		got := through(r.Lines(), reads...)
		var joined [2]string
		for line := range strings.Lines(got) {
			var e struct {
				Message int
				Text    string
			}
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				rt.Fatalf("%q: %v", line, err)
			}
			joined[e.Message] += e.Text
		}
		for _, text := range joined {
			if strings.Contains(text, value) {
				rt.Fatalf("%q holds %q", text, value)
			}
		}
	})
}

func BenchmarkLines(b *testing.B) {
	r := set(b, map[string]string{"A": canary, "B": "ghp_0123456789abcdefghijklmnopqrstuvwxyz"}).Redactor()
	line := []byte(`{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" quick brown"}},` +
		`"session_id":"0190","parent_tool_use_id":null,"uuid":"6d1f"}` + "\n")
	l := r.Lines()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		l.Redact(line)
	}
}
