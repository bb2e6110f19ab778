package secrets

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRedactFindsEveryForm(t *testing.T) {
	const value = "pä/ss\"w\\rd<&>\n+=%"
	r := set(t, map[string]string{"S": value}).Redactor()
	quoted := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	tests := []struct{ name, in, want string }{
		{"as it is", "a" + value + "b", "a***b"},
		{"twice", value + value, "******"},
		{"in JSON", quoted("a" + value + "b"), `"a***b"`},
		{"in JSON without HTML escapes", `"pä/ss\"w\\rd<&>\n+=%"`, `"***"`},
		{"in JSON in JSON", quoted(quoted(value)), `"\"***\""`},
		{"in JSON of ASCII", `"p\u00e4/ss\"w\\rd<&>\n+=%"`, `"***"`},
		{"in JSON with slashes escaped", `"pä\/ss\"w\\rd<&>\n+=%"`, `"***"`},
		{"in a query", "?q=" + url.QueryEscape(value) + "&r=1", "?q=***&r=1"},
		{"in a path", "/" + url.PathEscape(value) + "/x", "/***/x"},
		{"in a URL in lower case", "/" + strings.ReplaceAll(url.QueryEscape(value), "%2F", "%2f"), ""},
		{"in base64", base64.StdEncoding.EncodeToString([]byte(value)), "***"},
		{"in base64 for URLs", base64.URLEncoding.EncodeToString([]byte(value)), "***"},
		{"in hexadecimal digits", fmt.Sprintf("%x", value), "***"},
		{"in hexadecimal digits with blanks", fmt.Sprintf("% X", value), "***"},
		{"in a patch", "+a" + strings.ReplaceAll(value, "\n", "\n+") + "b", "+a***b"},
		{"removed in a patch", "-" + strings.ReplaceAll(value, "\n", "\n-") + "\n", "-***\n"},
		{"around a change in a patch", " " + strings.ReplaceAll(value, "\n", "\n ") + "\n", " ***\n"},
		{"without its last character", value[:len(value)-1], "***\n+="},
		{"nothing", "", ""},
		{"not at all", "some text", "some text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(r.Redact([]byte(tt.in))); tt.want != "" && got != tt.want || strings.Contains(got, value) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRedactFindsAValueInsideBase64(t *testing.T) {
	// The second has, wherever it begins, digits that differ between the alphabets.
	for _, value := range []string{canary, "k\xfb\xef\xbe\xff\xff\xff\xef\xbe\xfb\xff\xbe\xfb\xefk"} {
		r := set(t, map[string]string{"S": value}).Redactor()
		for before := range 7 {
			for after := range 7 {
				plain := strings.Repeat("x", before) + value + strings.Repeat("y", after)
				for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding} {
					text := enc.EncodeToString([]byte(plain))
					got := string(r.Redact([]byte(text)))
					if !strings.Contains(got, "***") || len(got) > 3+(before+after)*2+8 {
						t.Errorf("%d bytes before and %d after: got %s of %s", before, after, got, text)
					}
				}
			}
		}
	}
}

func TestRedactTakesTheLongestOfSeveral(t *testing.T) {
	r := set(t, map[string]string{"A": "aaaaaaaa", "B": "aaaaaaaabbbb"}).Redactor()
	if got := string(r.Redact([]byte("xaaaaaaaabbbby"))); got != "x***y" {
		t.Errorf("got %q", got)
	}
}

func TestRedactLeavesItsInputAlone(t *testing.T) {
	r := set(t, map[string]string{"A": canary}).Redactor()
	in := []byte("x" + canary + "y")
	r.Redact(in)
	if string(in) != "x"+canary+"y" {
		t.Errorf("the input became %q", in)
	}
}

func TestWithoutSecretsNothingIsDone(t *testing.T) {
	s, err := (&Fetcher{Values: map[string]string{"S": "x"}}).Resolve(t.Context(), map[string]Source{"S": {Value: true}})
	if err != nil {
		t.Fatal(err)
	}
	in := []byte("any text")
	stream := s.Redactor().Stream()
	if out := s.Redactor().Redact(in); &out[0] != &in[0] {
		t.Error("the input was copied")
	}
	if out := stream.Redact(in); &out[0] != &in[0] || stream.Close() != nil {
		t.Error("the stream was copied")
	}
	if n := testing.AllocsPerRun(100, func() { s.Redactor().Redact(in) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// However a stream is cut, it comes out as it would whole, and it never holds
// back more than the longest form.
func TestStreamGivesTheSameHoweverItIsCut(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		letters := rapid.StringOfN(rapid.RuneFrom([]rune("ab\"é")), 8, 14, -1)
		values := map[string]string{"A": letters.Draw(rt, "A"), "B": letters.Draw(rt, "B")}
		r := set(t, values).Redactor()
		var text strings.Builder
		for range rapid.IntRange(0, 6).Draw(rt, "pieces") {
			v := values[rapid.SampledFrom([]string{"A", "B"}).Draw(rt, "which")]
			encoded, _ := json.Marshal(v)
			text.WriteString(rapid.SampledFrom([]string{"a", "bb", v, v[:len(v)/2], string(encoded), url.QueryEscape(v)}).Draw(rt, "piece"))
		}
		want := string(r.Redact([]byte(text.String())))
		var got bytes.Buffer
		stream := r.Stream()
		for rest := []byte(text.String()); len(rest) > 0; {
			n := rapid.IntRange(1, min(len(rest), 9)).Draw(rt, "cut")
			got.Write(stream.Redact(bytes.Clone(rest[:n])))
			if len(stream.held) >= r.longest {
				rt.Fatalf("%d bytes are held back", len(stream.held))
			}
			rest = rest[n:]
		}
		got.Write(stream.Close())
		if got.String() != want {
			rt.Fatalf("cut: %q\nwhole: %q", got.String(), want)
		}
		for _, v := range values {
			if strings.Contains(want, v) {
				rt.Fatalf("%q holds a secret", want)
			}
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	line := bytes.Repeat([]byte(`{"type":"TEXT_MESSAGE_CONTENT","delta":"the quick brown fox canar"}`+"\n"), 1000)
	r := set(b, map[string]string{"A": canary, "B": "ghp_0123456789abcdefghijklmnopqrstuvwxyz", "C": "sk-ant-api03-0123456789"}).Redactor()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		r.Redact(line)
	}
}
