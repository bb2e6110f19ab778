package secrets

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Tools mix the ways to write a character, and quote what is quoted already.
func TestRedactFindsWhatToolsMakeOfAValue(t *testing.T) {
	const value = `id/7f3a+"Q<é&z k%9~'x=w\Qd😀2`
	r := set(t, map[string]string{"S": value}).Redactor()
	asJSON := func(s string) string {
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	tests := []struct{ name, in string }{
		{"the path of a URL", (&url.URL{Path: "/" + value}).EscapedPath()},
		{"the user of a URL", url.UserPassword("x", value).String()},
		{"Python's urllib.parse.quote, which keeps slashes", strings.ReplaceAll(url.PathEscape(value), "%2F", "/")},
		{"JavaScript's encodeURI", "id/7f3a+%22Q%3C%C3%A9&z%20k%259~'x=w%5CQd%F0%9F%98%802"},
		{"a URL in a URL", url.QueryEscape(url.QueryEscape(value))},
		{"quoted by Go", fmt.Sprintf("%q", value)},
		{"quoted by Go in ASCII", fmt.Sprintf("%+q", value)},
		{"quoted by Go in JSON", asJSON(fmt.Sprintf("%q", value))},
		{"Python's repr", `'id/7f3a+"Q<é&z k%9~\'x=w\\Qd😀2'`},
		{"Python's ascii, in JSON", asJSON(`'id/7f3a+"Q<\xe9&z k%9~\'x=w\\Qd\U0001f6002'`)},
		{"JSON in ASCII", `"id/7f3a+\"Q<\u00e9&z k%9~'x=w\\Qd\ud83d\ude002"`},
		{"JSON four deep", asJSON(asJSON(asJSON(asJSON(value))))},
		{"HTML", html.EscapeString(value)},
		{"the trace of a shell, in JSON", asJSON(`+ curl -u 'id/7f3a+"Q<é&z k%9~'\''x=w\Qd😀2'`)},
		{"bash's printf %q", `id/7f3a+\"Q\<é\&z\ k%9~\'x=w\\Qd😀2`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := string(r.Redact([]byte(tt.in)))
			if strings.Contains(got, "7f3a") || strings.Contains(got, "Qd") || !strings.Contains(got, hidden) {
				t.Errorf("of %s\nis left %s", tt.in, got)
			}
		})
	}
}

func TestRedactLeavesJSONWhole(t *testing.T) {
	for _, value := range []string{`ends-in\`, `"starts"`, `\\starts`, `"\"\"\"\"`, "tab\tnew\nline"} {
		r := set(t, map[string]string{"S": value}).Redactor()
		in := any(map[string]string{"text": "a" + value + "b"})
		for depth := range 4 {
			data, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			got := r.Redact(data)
			if !json.Valid(got) || !strings.Contains(string(got), "a***b") {
				t.Errorf("%q, %d deep: %s became %s", value, depth, data, got)
			}
			in = string(data)
		}
	}
}

// A key file that is numbered, indented, cut or logged line by line is no secret
// any more if only the whole is looked for.
func TestRedactFindsTheLinesOfAValue(t *testing.T) {
	lines := []string{"-----BEGIN KEY-----", "MIIabcd1efgh2ijkl3mnop", "QRSTuvwx4yzAB5CDEF6", "-----END KEY-----"}
	for _, end := range []string{"\n", "\r\n"} {
		value := strings.Join(lines, end) + end
		r := set(t, map[string]string{"S": value}).Redactor()
		if got := string(r.Redact([]byte("a" + value))); got != "a***"+end {
			t.Errorf("of the whole is left %q", got)
		}
		if got := string(r.Redact([]byte("a" + strings.Join(lines, "\n") + "b"))); got != "a***b" {
			t.Errorf("of the whole with other line ends is left %q", got)
		}
		for i, line := range lines {
			if got := string(r.Redact(fmt.Appendf(nil, "%6d\t%s|", i+1, line))); !strings.HasSuffix(got, "\t***|") {
				t.Errorf("of a numbered line is left %q", got)
			}
		}
	}
}

func TestRedactFindsBase64InLines(t *testing.T) {
	value := "github_pat_" + strings.Repeat("11ABCDEFG0abcdefghijk_", 4)
	r := set(t, map[string]string{"S": value}).Redactor()
	for before := range 80 {
		plain := strings.Repeat("x", before) + value + "y"
		for _, end := range []string{"\n", "\r\n", "\n    ", `\n`, `\\n`} {
			text := base64.StdEncoding.EncodeToString([]byte(plain))
			var folded string
			for len(text) > 76 {
				folded, text = folded+text[:76]+end, text[76:]
			}
			got := string(r.Redact([]byte(folded + text)))
			if !strings.Contains(got, hidden) || len(got) > (before+5)*4/3+3*len(end)+8 {
				t.Fatalf("%d bytes before, lines end in %q: %s", before, end, got)
			}
		}
	}
}

// Whatever a value is made of and however it is encoded: it isn't there.
func TestRedactFindsAnyValueInAnyEncoding(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		value := "start" + rapid.StringOfN(rapid.RuneFrom([]rune(`ab\"'/+&<% `+"\n\té😀")), 4, 12, -1).Draw(rt, "value") + "end"
		r := set(t, map[string]string{"S": value}).Redactor()
		text := value
		for range rapid.IntRange(0, 3).Draw(rt, "times") {
			switch rapid.SampledFrom([]string{"JSON", "Go", "ASCII"}).Draw(rt, "encoding") {
			case "JSON":
				data, _ := json.Marshal(text)
				text = string(data)
			case "Go":
				text = fmt.Sprintf("%q", text)
			case "ASCII":
				text = fmt.Sprintf("%+q", text)
			}
		}
		switch rapid.SampledFrom([]string{"", "query", "path", "HTML"}).Draw(rt, "around") {
		case "query":
			text = url.QueryEscape(value)
		case "path":
			text = url.PathEscape(value)
		case "HTML":
			text = html.EscapeString(value)
		}
		if got := string(r.Redact([]byte("x" + text + "y"))); strings.Contains(got, "start") || strings.Contains(got, "end") {
			rt.Fatalf("of %s is left %s", text, got)
		}
	})
}

// Whoever keeps the end of output, or cuts a line, cuts secrets too.
func TestAPieceHoldsNoPartOfASecret(t *testing.T) {
	const secret = `cnry/7f3a+"Q<é&zk%9~Vx=w\QEnd42`
	r := set(t, map[string]string{"A": secret, "B": "line one of key\nline two of key"}).Redactor()
	quoted := fmt.Sprintf("%q", secret)
	tests := []struct{ name, in, want string }{
		{"begins in a secret", secret[7:] + " and more", "*** and more"},
		{"begins in a quoted secret", quoted[9:] + " and more", `***" and more`},
		{"begins in a secret of several lines", "e of key\nline two of key\n", "***\n"},
		{"begins with a whole one", secret + " and more", "*** and more"},
		{"ends in a secret", "some text " + secret[:12], "some text ***"},
		{"begins and ends in one", secret[20:] + " " + secret[:12], "*** ***"},
		{"is a part of one", secret[4:20], "***"},
		{"has whole ones", "a " + secret + " b", "a *** b"},
		{"has none", "a text", "a text"},
		{"has three bytes of one at its edges", "d42 some text cnr", "d42 some text cnr"},
		{"is empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(r.Piece([]byte(tt.in))); got != tt.want {
				t.Errorf("%q became %q, want %q", tt.in, got, tt.want)
			}
		})
	}
	text := strings.Repeat("some text ", 3) + secret + " and " + quoted + " or " + base64.StdEncoding.EncodeToString([]byte(secret)) + " more text"
	for from := range len(text) {
		for _, to := range []int{min(from+10, len(text)), min(from+40, len(text)), len(text)} {
			got := string(r.Piece([]byte(text[from:to])))
			for i := range len(secret) - 5 {
				if strings.Contains(got, secret[i:i+5]) {
					t.Fatalf("%q became %q, which has a part of the secret", text[from:to], got)
				}
			}
		}
	}
}
