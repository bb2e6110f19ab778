package watch

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestADiffComesBackFromItsEventByteForByte writes any bytes, in any pieces,
// reads them back, and has another decoder agree.
func TestADiffComesBackFromItsEventByteForByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		diff := rapid.OneOf(
			rapid.SliceOf(rapid.SampledFrom([]byte("a%\"\\\n\r\t\x00\x1f\x7f\xff\xc3\x28\xe4\xbd\xa0\xf0\x9f\x98\x80\xed\xa0\x80"))),
			rapid.Map(rapid.String(), func(s string) []byte { return []byte(s) }),
		).Draw(t, "diff")
		var check UTF8
		for rest := diff; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			if m, err := check.Write(rest[:n]); m != n || err != nil {
				t.Fatal(m, err)
			}
			rest = rest[n:]
		}
		v := Value{Path: ".", Files: 3, Added: 20, Removed: 1, Escaped: !check.Valid()}
		var event bytes.Buffer
		if err := v.Encode(&event, iotest.OneByteReader(bytes.NewReader(diff))); err != nil {
			t.Fatal(err)
		}
		var plain struct {
			Value
			Diff string
		}
		if err := json.Unmarshal(event.Bytes(), &plain); err != nil {
			t.Fatalf("%v: %s", err, event.Bytes())
		}
		text, escaped := Text(diff)
		if plain.Value != v || plain.Diff != text || v.Escaped != escaped || !escaped && text != string(diff) {
			t.Fatalf("another decoder reads %+v, want %+v with %q", plain, v, text)
		}
		whole := `{"type":"CUSTOM","name":"file.changed","value":` + event.String() + "}"
		got, r, err := Decode(strings.NewReader(whole))
		if err != nil {
			t.Fatal(err)
		}
		back, err := io.ReadAll(iotest.HalfReader(r))
		if err != nil || got != v || !bytes.Equal(back, diff) {
			t.Fatalf("got %+v, %q, %v; want %+v, %q", got, back, err, v, diff)
		}
	})
}

func TestDecodeReadsTheFormsOfOtherEncodersAndRefusesHalves(t *testing.T) {
	const head = `{"path":".","files":1,"added":1,"removed":1,"diff":"`
	cases := []struct{ name, event, want, err string }{
		{"escapes", head + `\u00e9\ud83d\ude00\/\b\f"}`, "é😀/\b\f", ""},
		{"an end in the middle", head + `abc`, "abc", "unexpected EOF"},
		{"an end in an escape", head + `\u00`, "", "unexpected EOF"},
		{"an escape that is none", head + `\x"}`, "", `\x in a string`},
		{"another event", `{"type":"RAW"}`, "", "isn't a diff"},
		{"nothing", ``, "", "isn't a diff"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []byte
			_, r, err := Decode(strings.NewReader(c.event))
			if err == nil {
				got, err = io.ReadAll(r)
			}
			text := ""
			if err != nil {
				text = err.Error()
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" || !strings.Contains(text, c.err) || (c.err == "") != (err == nil) {
				t.Errorf("error %q, want %q; %s", text, c.err, diff)
			}
		})
	}
}

// TestTheScriptsOutputIsTakenApartHoweverItIsCut gives it in pieces of every
// size.
func TestTheScriptsOutputIsTakenApartHoweverItIsCut(t *testing.T) {
	text := "1 8 4 6\nerror: xa\x00b\x00l\nrge\x003\t4\t\"n\\n\"\n-\t-\tbin\n\ndiff --git\n\nrest"
	want := Changes{Files: 2, Added: 3, Removed: 4, Nested: []string{"a", "b"}, Large: []string{"l\nrge"}, Errors: "error: x"}
	for size := 1; size <= len(text); size++ {
		var patch bytes.Buffer
		o := &output{patch: &patch}
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if m, err := o.Write([]byte(rest[:n])); m != n || err != nil {
				t.Fatal(m, err)
			}
			rest = rest[n:]
		}
		if err := o.end(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, o.changes); diff != "" || patch.String() != "diff --git\n\nrest" {
			t.Fatalf("in pieces of %d: patch %q\n%s", size, patch.String(), diff)
		}
	}
}

func TestOutputThatIsNotTheScriptsIsAnError(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":                 "",
		"words":                   "hello there\n",
		"names that end too soon": "0 0 10 0\nabc",
		"counts without a patch":  "0 0 0 0\n1\t1\tf\n",
		"a line without an end":   "0 0 0 0\n1\t1\tf",
		"a head without an end":   strings.Repeat("x", maxHead+1),
		"sizes below nothing":     "0 -5 0 0\nabc",
	} {
		t.Run(name, func(t *testing.T) {
			o := &output{patch: io.Discard}
			if _, err := o.Write([]byte(text)); err == nil && o.end() == nil {
				t.Error("it is taken")
			}
		})
	}
}
