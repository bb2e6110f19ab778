package cli

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestResultsAreReadable(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"plain text", "hello\n", "hello\n"},
		{"text that begins like JSON", "{not json", "{not json"},
		{"an object with output", `{"exitCode":0,"output":"a\nb\n"}`, "a\nb\n"},
		{"content blocks", `[{"type":"content","content":{"type":"text","text":"x"}},{"type":"content","content":{"type":"text","text":"y"}}]`, "x\ny"},
		{"a new file", `[{"type":"diff","path":"/p","newText":"a\nb\n"}]`, "2 lines written"},
		{"a new file of one line", `[{"type":"diff","path":"/p","newText":"a\n"}]`, "1 line written"},
		{"a changed file", `[{"type":"diff","path":"/p","oldText":"a","newText":"a\nb"}]`, "1 line became 2"},
		{"a shape nobody knows", `{"a":1}`, `{"a":1}`},
		{"a number", "3", "3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := readable(c.content); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestACallThatFailedSaysWhy(t *testing.T) {
	call := []string{
		`{"type":"TOOL_CALL_START","toolCallId":"1","toolCallName":"Bash"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"1","delta":"{\"command\":\"rm x\"}"}`,
		`{"type":"TOOL_CALL_END","toolCallId":"1"}`,
	}
	failed := `{"type":"TOOL_CALL_RESULT","toolCallId":"1","content":"Exit code 3\nno such file","error":"failed"}`
	denied := `{"type":"CUSTOM","name":"approval.decided","value":{"decision":"deny","by":"ann","target":"rm x"}}`
	for _, c := range []struct {
		name   string
		events []string
		want   string
	}{
		{"what the tool said", []string{failed}, "  failed: Exit code 3\n  no such file\n"},
		{"lines that end as a server's do", []string{`{"type":"TOOL_CALL_RESULT","toolCallId":"1","content":"200 OK\r\nServer: x\r\n"}`}, "  200 OK\n  Server: x\n"},
		{"colours", []string{`{"type":"TOOL_CALL_RESULT","toolCallId":"1","content":"\u001b[31mFAIL\u001b[0m a_test"}`}, "  FAIL a_test\n"},
		{"nothing was said", []string{`{"type":"TOOL_CALL_RESULT","toolCallId":"1","content":"\n","error":"interrupted"}`}, "  interrupted\n"},
		{"it was denied, which is told already", []string{denied, failed}, "  denied by ann\n  failed\n"},
		{"the one before was denied", slices.Concat([]string{denied}, call, []string{failed}), "  denied by ann\n▸ Bash rm x\n  failed: Exit code 3\n  no such file\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := "▸ Bash rm x\n" + c.want
			if diff := cmp.Diff(want, shown(t, slices.Concat(call, c.events)...)); diff != "" {
				t.Errorf("shown (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNothingOfAnAgentMovesTheCursor(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1b[2Jb\rc\x07":         "a\uFFFD[2Jb\uFFFDc\uFFFD",
		"tab\tand\nline":           "tab\tand\nline",
		"\u009b31m\u202e":          "\uFFFD31m\uFFFD",
		"\u202a\u200f\u061c\u2028": "\uFFFD\uFFFD\uFFFD\uFFFD",
		"bad \xff byte":            "bad \uFFFD byte",
		"한글 🙂":                     "한글 🙂",
	} {
		if got := printable(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
