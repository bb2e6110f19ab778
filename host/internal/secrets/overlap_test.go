package secrets

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSecretsThatOverlapAreReplacedWhole(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []string
		in     string
		want   string
	}{
		{"the end of one is the beginning of another", []string{"aaaabbbb", "bbbbcccc"}, "xaaaabbbbccccy", "x***y"},
		{"and that of a third", []string{"aaaabbbb", "bbbbcccc", "ccccdddd"}, "xaaaabbbbccccddddy", "x***y"},
		{"one is the beginning of another", []string{"aaaabbbb", "aaaabbbbcccc"}, "xaaaabbbbccccyaaaabbbby", "x***y***y"},
		{"one is the end of another", []string{"bbbbcccc", "aaaabbbbcccc"}, "xaaaabbbbccccybbbbccccy", "x***y***y"},
		{"one is inside of another", []string{"bbbbcccc", "aabbbbccccdd"}, "xaabbbbccccddy", "x***y"},
		{"one inside of another goes on", []string{"aabbbbccccdd", "bbbbcccc", "ccccddee"}, "xaabbbbccccddeey", "x***y"},
		{"one overlaps itself", []string{"abababab"}, "xabababababy", "x***y"},
		{"they touch", []string{"aaaabbbb", "ccccdddd"}, "xaaaabbbbccccddddy", "x******y"},
		{"only the beginning of the other is there", []string{"aaaabbbb", "bbbbcccc"}, "xaaaabbbbcccy", "x***cccy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRedactor(c.values)
			if got := string(r.Redact([]byte(c.in))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			var got []byte
			s := r.Stream()
			for i := range c.in {
				got = append(got, s.Redact([]byte{c.in[i]})...)
			}
			if got = append(got, s.Close()...); string(got) != c.want {
				t.Errorf("byte by byte: got %q, want %q", got, c.want)
			}
		})
	}
}

// covered is a text in which what the values cover together is replaced.
func covered(text string, values []string) string {
	var out strings.Builder
	end := 0
	for i := range len(text) {
		longest := 0
		for _, v := range values {
			if strings.HasPrefix(text[i:], v) {
				longest = max(longest, len(v))
			}
		}
		if longest > 0 && i >= end {
			out.WriteString(hidden)
		}
		if end = max(end, i+longest, i); i >= end {
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

func TestGeneratedOverlapsAreReplacedHoweverTheyAreCut(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		whole := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 16, 24, -1).Draw(rt, "whole")
		var values []string
		for range rapid.IntRange(1, 4).Draw(rt, "secrets") { // parts of one text, so that they overlap
			from := rapid.IntRange(0, len(whole)-8).Draw(rt, "from")
			values = append(values, whole[from:rapid.IntRange(from+8, len(whole)).Draw(rt, "to")])
		}
		text := ""
		for range rapid.IntRange(1, 4).Draw(rt, "pieces") {
			from := rapid.IntRange(0, len(whole)-1).Draw(rt, "piece")
			text += rapid.SampledFrom([]string{"", "x", "ab"}).Draw(rt, "between") + whole[from:]
		}
		r, want := newRedactor(values), covered(text, values)
		if got := string(r.Redact([]byte(text))); got != want {
			rt.Fatalf("%q in %q\n got %q\nwant %q", values, text, got, want)
		}
		var got bytes.Buffer
		s := r.Stream()
		for rest := []byte(text); len(rest) > 0; {
			n := rapid.IntRange(1, min(len(rest), 9)).Draw(rt, "cut")
			got.Write(s.Redact(bytes.Clone(rest[:n])))
			if s.Held() < 0 || len(s.held) >= r.longest {
				rt.Fatalf("%d bytes are held, %d of them not given out", len(s.held), s.Held())
			}
			rest = rest[n:]
		}
		got.Write(s.Close())
		if got.String() != want {
			rt.Fatalf("%q in %q, cut\n got %q\nwant %q", values, text, got.String(), want)
		}
	})
}

// A piece was cut out of output: what is left of a secret at its beginning may be the
// beginning of another one.
func TestAPieceThatBeginsInSecretsThatOverlap(t *testing.T) {
	r := newRedactor([]string{"0123aaaabbbb", "bbbbcccc"})
	for in, want := range map[string]string{
		"aaaabbbbccccy":      "***y",
		"aaaabbbbcccy":       "***cccy",
		"x0123aaaabbbbcc":    "x***cc",
		"x0123aaaabbbbccccy": "x***y",
	} {
		if got := string(r.Piece([]byte(in))); got != want {
			t.Errorf("of %q: got %q, want %q", in, got, want)
		}
	}
}

// What is held back behind a secret that was replaced is a part of it or isn't.
func TestWhatOverlapsAndComesLateIsSettled(t *testing.T) {
	for _, c := range []struct{ name, late, want string }{
		{"the rest of the second", "cc!", "x***|cc|!"},
		{"something else", "zz!", "x***|cc|zz!"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newRedactor([]string{"aaaabbbb", "bbbbcccc"}).Stream()
			got := string(s.Redact([]byte("xaaaabbbbcc")))
			got += "|" + string(s.Settle(100))
			got += "|" + string(s.Redact([]byte(c.late))) + string(s.Close())
			want := strings.Replace(c.want, "|!", "|***!", 1)
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
