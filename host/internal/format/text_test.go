package format_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/format"
)

func TestALayoutChangesWhitespaceAlone(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"an empty file stays empty", "", ""},
		{"a file of blank lines stays", "\n\n", "\n\n"},
		{"equals signs of neighbours are aligned", "a=1\nlong   = 2\n", "a    = 1\nlong = 2\n"},
		{"blocks are indented", "b \"x\" {\na=1\n  c {\n  }\n}\n", "b \"x\" {\n  a = 1\n  c {\n  }\n}\n"},
		{"comments of all kinds stay", "# one\na=1 // two\n/* three\n   lines */\nb=2 # four", "# one\na = 1 // two\n/* three\n   lines */\nb = 2 # four\n"},
		{"a comment alone stays", "#c", "#c\n"},
		{"a missing end of the last line is added", "a = 1", "a = 1\n"},
		{"endings of lines stay", "a=1\r\nb   = 2\r\n", "a = 1\r\nb = 2\r\n"},
		{"the last line ends as the first", "a = 1\r\nb = 2", "a = 1\r\nb = 2\r\n"},
		{"a byte order mark goes", "\xef\xbb\xbfa=1\n", "a = 1\n"},
		{"text of a heredoc stays", "a=<<-E\n   x\n\ty  \n  E\n", "a = <<-E\n   x\n\ty  \n  E\n"},
		{"spaces inside of quotes stay", "a=\"  x  ${ b }  \"\n", "a = \"  x  ${b}  \"\n"},
		{"trailing spaces go", "a = 1   \n\t\nb = 2\n", "a = 1\n\nb = 2\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := format.Text([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAFileWithAMistakeIsToldOfAndKept(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a block that isn't closed", "a {\n", "f.hcl:1,3"},
		{"nested too deeply", "a = " + strings.Repeat("[", 100000), "Nested too deeply"},
		{"too large", strings.Repeat("#\n", config.MaxSource), "File too large"},
		{"not UTF-8", "a = \"\xff\"\n", "Not UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := format.Source([]byte(tt.text), "f.hcl")
			if err != nil {
				t.Fatal(err)
			}
			if f.Changed() || !strings.Contains(f.Diagnostics.Error(), tt.want) {
				t.Errorf("changed: %v; %v", f.Changed(), f.Diagnostics)
			}
		})
	}
}

func TestTheSourceOfAMistakeHasNoSecrets(t *testing.T) {
	f, err := format.Source([]byte("token = \"hunter2-hunter2\" \"x\"\nsecret \"S\" { value = \"hunter2-hunter2\" }\n"), "x.auto.sandlot.hcl")
	if err != nil || !f.Diagnostics.HasErrors() {
		t.Fatalf("%v %v", f.Diagnostics, err)
	}
	if text := string(f.Source.Bytes) + f.Diagnostics.Error(); strings.Contains(text, "hunter2") {
		t.Errorf("the value is shown: %s", text)
	}
}

// FuzzFmt: what is formatted stays as it is when formatted again, has the tokens
// that it had, comments among them, and is as right as it was.
func FuzzFmt(f *testing.F) {
	for _, pattern := range []string{"../../../examples/*.hcl", "../config/testdata/broken/*.hcl"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no files %s: %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
			f.Add(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")))
		}
	}
	for _, text := range []string{
		"a=1#c", "a=[\n1,#x\n2]", "a=<<E\n${ b }\nE\n", "a={\nb=1,c:2\n}", "a b c{\n}", "a=b?c:d", "a=-1- -1", "a=!b", "a=b[*].c[0]",
		"a=[for x in y:x if x]", "a=\"%{if b}x%{~else}y%{endif}\"", "a=(\n1\n)", "/*c*/a=1/*d*/", "a=b...", "a=provider::x::y(1)", "\xef\xbb\xbfa=1",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		once, err := format.Source(src, "f.hcl")
		if err != nil {
			t.Fatal(err)
		}
		if once.Diagnostics.HasErrors() {
			return
		}
		twice, err := format.Source(once.After, "f.hcl")
		if err != nil {
			t.Fatal(err)
		}
		if twice.Diagnostics.HasErrors() {
			t.Fatalf("the formatted text has mistakes: %v\n%q", twice.Diagnostics, once.After)
		}
		if twice.Changed() {
			t.Errorf("formatted again it changes:\n%q\n%q", once.After, twice.After)
		}
		if got, want := tokensOf(once.After), tokensOf(src); got != want {
			t.Errorf("it means something else:\n%s\n%s", want, got)
		}
	})
}
