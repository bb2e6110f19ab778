package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/harnesstest"
)

// words are what a broken agent may put anywhere.
var words = []string{
	`null`, `true`, `0`, `1`, `2`, `3`, `4`, `-1`, `1e400`, `"1"`, `""`, `"s1"`, `"c1"`, `[]`, `{}`, `[[]]`, `{"id":1}`, `"\ud800"`, `"text"`,
	`"allow_once"`, `"execute"`, `"edit"`, `"pending"`, `"in_progress"`, `"completed"`, `"failed"`, `{"type":"text","text":"x"}`, `[{"path":"/a"}]`,
	`{"command":"ls"}`, "\"\xff\xe4\xbd\"", `{"stopReason":"end_turn"}`, `{"stopReason":"cancelled"}`, `{"sessionId":"s1"}`, `{"protocolVersion":1}`,
	`[{"optionId":"a","kind":"allow_once"}]`, `{"code":-32000,"message":"no"}`, `{"code":{},"message":[]}`, `1 2`, `{`, `"open`,
}

// member names are the protocol's own, so that garbage gets deep.
var members = []string{
	"jsonrpc", "id", "method", "params", "result", "error", "update", "toolCall", "options", "content", "rawInput", "rawOutput", "_meta",
	"sessionUpdate", "toolCallId", "status", "kind", "title", "name", "locations", "entries", "used", "cost", "messageId", "sessionId",
}

var kinds = []string{
	"agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan", "usage_update", "user_message_chunk", "novelty",
}

func anObject(t *rapid.T, depth int) string {
	var parts []string
	for range rapid.IntRange(0, 6).Draw(t, "members") {
		value := rapid.SampledFrom(words).Draw(t, "value")
		if depth > 0 && rapid.Bool().Draw(t, "deeper") {
			value = anObject(t, depth-1)
		}
		parts = append(parts, fmt.Sprintf("%q:%s", rapid.SampledFrom(members).Draw(t, "member"), value))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func anUpdate(t *rapid.T) string {
	body := strings.TrimPrefix(anObject(t, 1), "{")
	if body != "}" {
		body = "," + body
	}
	id := rapid.SampledFrom([]string{"c1", "c2", ""}).Draw(t, "call")
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":%q,"toolCallId":%q%s}}`,
		rapid.SampledFrom(kinds).Draw(t, "kind"), id, body) + "}"
}

func aLine(t *rapid.T) string {
	switch rapid.IntRange(0, 9).Draw(t, "line") {
	case 0:
		return string(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes"))
	case 1:
		return anObject(t, 3)
	case 2:
		return rapid.SampledFrom([]string{hello, opened, endTurn, "[" + hello + "," + opened + "]"}).Draw(t, "good")
	case 3:
		return `{"id":` + rapid.SampledFrom(words).Draw(t, "id") + `,"method":"session/request_permission","params":` + anObject(t, 2) + `}`
	case 4:
		return `{"id":` + fmt.Sprint(rapid.IntRange(1, 5).Draw(t, "ours")) + `,"result":` + anObject(t, 2) + `}`
	case 5:
		return `{"id":` + fmt.Sprint(rapid.IntRange(1, 5).Draw(t, "ours")) + `,"error":` + anObject(t, 1) + `}`
	case 6:
		return "\r"
	}
	return anUpdate(t)
}

// whatever the agent prints, the run ends in one Done with a reason, and its
// events are in order, the same for any slicing and whatever the host sends.
func garbageIn(t *rapid.T) {
	c := config{Command: []string{"agent"}}
	if rapid.Bool().Draw(t, "configured") {
		c.Mode, c.AuthMethod = "ask", "key"
	}
	start := harness.Start{Run: "r", Prompt: "p", Model: rapid.SampledFrom([]string{"", "m"}).Draw(t, "model"), Session: rapid.SampledFrom([]string{"", "old"}).Draw(t, "session")}
	if rapid.Bool().Draw(t, "usual start") && c.Mode == "" {
		start.Session, start.Model = "", ""
	}
	var lines []string
	for range rapid.IntRange(0, 30).Draw(t, "lines") {
		lines = append(lines, aLine(t))
	}
	if start.Session == "" && start.Model == "" && c.Mode == "" {
		lines = append([]string{hello, opened}, lines...)
	}
	output := []byte(strings.Join(lines, "\n"))

	calm := &tape{steps: []step{func(*tape) harness.ToHarness { return &start }}}
	cut := &tape{steps: []step{func(*tape) harness.ToHarness { return &start }}}
	calm.steps = append(calm.steps, func(*tape) harness.ToHarness { return &harness.Lines{Data: output, End: int64(len(output))} })
	for rest := output; len(rest) > 0; {
		n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
		piece := rest[:n]
		rest = rest[n:]
		cut.steps = append(cut.steps, func(*tape) harness.ToHarness { return &harness.Lines{Data: piece} })
		switch rapid.IntRange(0, 5).Draw(t, "between") {
		case 0:
			cut.steps = append(cut.steps, cancels)
		case 1:
			allow := rapid.Bool().Draw(t, "allow")
			cut.steps = append(cut.steps, func(p *tape) harness.ToHarness {
				if asks := p.asks(); len(asks) > 0 {
					return &harness.Decision{Ask: asks[len(asks)-1].ID, Allow: allow}
				}
				return &harness.Decision{Ask: "none"}
			})
		case 2:
			cut.steps = append(cut.steps, func(*tape) harness.ToHarness { return &harness.Stderr{Data: []byte("x")} })
		}
	}
	for _, p := range []*tape{calm, cut} {
		p.steps = append(p.steps, exits(harness.Exit{Code: -1}))
		s, err := harness.Open(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if err := (&acp{config: c}).Run(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		done := sentOf[*harness.Done](p)
		if len(done) != 1 || done[0].Result.Reason == "" {
			t.Fatalf("done: %+v", done)
		}
		var events []agui.Event
		for _, payload := range p.events() {
			if !utf8.ValidString(payload) {
				t.Fatalf("an event that isn't UTF-8: %q", payload)
			}
			e, err := agui.Unmarshal([]byte(payload))
			if err != nil {
				t.Fatal(err)
			}
			events = append(events, e)
		}
		if problems := harnesstest.Order(events); len(problems) > 0 {
			t.Fatalf("%v", problems)
		}
		for _, line := range p.written() {
			if line != "EOF" && !json.Valid([]byte(line)) {
				t.Fatalf("written: %s", line)
			}
		}
	}
	if diff := cmp.Diff(calm.events(), cut.events()); diff != "" {
		t.Fatalf("events differ (-whole +cut):\n%s", diff)
	}
}

func TestGarbageNeverBreaksARun(t *testing.T) { rapid.Check(t, garbageIn) }

func FuzzGarbageNeverBreaksARun(f *testing.F) { f.Fuzz(rapid.MakeFuzz(garbageIn)) }

func TestACharacterSplitAnywhereStaysWhole(t *testing.T) {
	line := `{"jsonrpc":"2.0","method":"session/update","params":{"update":` + said("a你é😀z") + `}}` + "\n"
	for at := range len(line) {
		piece := func(s string) step {
			return func(*tape) harness.ToHarness { return &harness.Lines{Data: []byte(s)} }
		}
		p := play(t, config{}, harness.Start{}, prints(hello, opened), piece(line[:at]), piece(line[at:]), prints(endTurn))
		if diff := cmp.Diff([]string{"text start 1", "text 1 a你é😀z", "text end 1"}, brief(p.decoded(t))); diff != "" {
			t.Fatalf("split at %d (-want +got):\n%s", at, diff)
		}
	}
}

func TestLongLines(t *testing.T) {
	for _, size := range []int{1 << 20, 8 << 20, 32 << 20} {
		text := strings.Repeat("你", size/3)
		p := play(t, config{}, harness.Start{}, updates(said(text)), prints(endTurn))
		var got strings.Builder // a long text comes in several pieces
		for _, e := range p.decoded(t) {
			if c, ok := e.(agui.TextMessageContent); ok {
				got.WriteString(c.Delta)
			}
		}
		if got.String() != text {
			t.Errorf("%d bytes: the text isn't whole: %d bytes came, not %d", size, got.Len(), len(text))
		}
	}
}

func TestALineOverTheCapIsAWarning(t *testing.T) {
	long := said(strings.Repeat("x", maxLine))
	p := play(t, config{}, harness.Start{}, updates(long, said("after")), prints(endTurn))
	got := brief(p.decoded(t))
	want := []string{
		fmt.Sprintf(`custom warning {"code":"line_too_long","text":"the agent printed a line of %d bytes; lines over 67108864 bytes are left out"}`,
			len(long)+len(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":}}`)),
		"text start 1", "text 1 after", "text end 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestNoise(t *testing.T) {
	noise := []string{"npm warn deprecated", "\xff\xfe\x00", `{"a":`, `"text"`, `[]`, `[1]`, `{}`, `{"id":null}`, strings.Repeat("你", 200)}
	lines := append([]string{hello, "\r", "  "}, noise...)
	p := play(t, config{}, harness.Start{}, prints(append(lines, "  "+opened+"\t\r", endTurn)...))
	var texts []string
	for _, e := range p.decoded(t) {
		var w agui.Warning
		if c, ok := e.(agui.Custom); ok && c.Name == agui.CustomWarning && json.Unmarshal(c.Value, &w) == nil && w.Code == warnNoise {
			texts = append(texts, strings.TrimPrefix(w.Text, "the agent printed a line that isn't a message: "))
		}
	}
	want := append([]string{}, noise...)
	want[1], want[8] = "\uFFFD\x00", strings.Repeat("你", 66)
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if r := p.result(t); r.Reason != harness.ReasonOK {
		t.Errorf("result %+v; noise must not end a run", r)
	}
}

func TestMuchNoiseIsSummedUp(t *testing.T) {
	p := play(t, config{}, harness.Start{}, prints(strings.Repeat("noise\n", 1000)))
	got := p.events()
	if len(got) != maxNoise+1 || !strings.Contains(got[maxNoise], "980 more lines") {
		t.Errorf("%d events, the last %s", len(got), got[len(got)-1])
	}
}

func TestABatchIsReadInOrder(t *testing.T) {
	p := play(t, config{}, harness.Start{}, prints("["+hello+","+opened+"]", "[ "+endTurn+" ]"))
	if r := p.result(t); r.Reason != harness.ReasonOK {
		t.Errorf("result %+v, want ok", r)
	}
}

func TestEventsAreTextWhateverTheBytes(t *testing.T) {
	p := play(t, config{}, harness.Start{}, updates(`{"sessionUpdate":"novelty","x":"`+"\xff\xe4\xbd"+`"}`,
		`{"sessionUpdate":"plan","entries":["`+"\xff"+`"]}`, called(`"status":"completed","rawInput":{"a":"`+"\xfe"+`"},"rawOutput":["`+"\xfe"+`"]`)), prints(endTurn))
	for _, e := range p.events() {
		if !utf8.ValidString(e) {
			t.Errorf("an event that isn't UTF-8: %q", e)
		}
	}
}
