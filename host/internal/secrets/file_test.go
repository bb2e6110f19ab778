package secrets

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func resolved(t *testing.T, src Source) (value, problem string) {
	t.Helper()
	set, err := (&Fetcher{}).Resolve(t.Context(), map[string]Source{"S": src})
	if err != nil {
		return "", strings.TrimPrefix(err.Error(), "resolve secret S: ")
	}
	return set.values["S"], ""
}

func TestAFileHoldsAValueAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "token")
	for _, c := range []struct{ name, content, value, problem string }{
		{"with the end of its line", canary + "\n", canary, ""},
		{"with the end of its line as Windows writes it", canary + "\r\n", canary, ""},
		{"without", canary, canary, ""},
		{"with an empty line, which is the value's own", canary + "\n\n", canary + "\n", ""},
		{"of several lines", "first line\nsecond line\n", "first line\nsecond line", ""},
		{"empty", "", "", "the file PATH is empty; write the value into it"},
		{"with an empty line alone", "\n", "", "the file PATH is empty; write the value into it"},
		{"too short", "1234567\n", "", "its value, from the file PATH, has fewer than 8 bytes, too few to scrub from output; use a longer one, or set redact = false in its secret block"},
		{"binary", canary + "\x00\x01", "", "its value, from the file PATH, has a NUL byte, which no environment can hold: it may be binary, or text in UTF-16; store it as text, encoded if need be"},
		{"as long as may be", strings.Repeat("x", longest), strings.Repeat("x", longest), ""},
		{"longer", strings.Repeat("x", longest+1), "", "the file PATH has more than 65536 bytes, too many for a secret; name a file with the value and nothing else"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			value, problem := resolved(t, Source{File: path, Redact: true})
			if value != c.value || strings.ReplaceAll(problem, path, "PATH") != c.problem {
				t.Errorf("got %.80q, %q", value, problem)
			}
		})
	}
}

func TestWhatIsNoFileIsNamed(t *testing.T) {
	dir := t.TempDir()
	absent := filepath.Join(dir, "absent")
	got := map[string]string{}
	_, got["absent"] = resolved(t, Source{File: absent, Redact: true})
	_, got["folder"] = resolved(t, Source{File: dir, Redact: true})
	_, got["device"] = resolved(t, Source{File: os.DevNull, Redact: true})
	want := map[string]string{
		"absent": "the file " + absent + " doesn't exist; create it, or correct `file` in its secret block",
		"folder": dir + " is a folder; name the file in it that holds the value",
		"device": os.DevNull + " is no regular file but a device; name a regular file, or use `command`",
	}
	if runtime.GOOS == "windows" {
		delete(want, "device")
		delete(got, "device")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAShortValueFromAFileMayBeTakenUnscrubbed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pin")
	if err := os.WriteFile(path, []byte("1234\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sources := map[string]Source{"PIN": {File: path}, "S": {Value: true, Redact: true}}
	set, err := (&Fetcher{Values: map[string]string{"S": canary}}).Resolve(t.Context(), sources)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(set.Redactor().Redact([]byte("pin 1234, " + canary))); got != "pin 1234, ***" {
		t.Errorf("got %q", got)
	}
}
