package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestATableAlignsByWhatATerminalShows(t *testing.T) {
	var table table
	table.add("NAME", "STATE", "WHAT")
	table.row(cell{text: "日本"}, cell{"ok", paint{true}.green}, cell{text: "x"})
	table.row(cell{text: "e\u0301a"}, cell{text: ""}, cell{text: "two\nlines\x1b[2J"})
	var out strings.Builder
	if err := table.write(&out); err != nil {
		t.Fatal(err)
	}
	want := "NAME  STATE  WHAT\n" +
		"日本  \x1b[32mok\x1b[0m     x\n" +
		"e\u0301a    -      two lines\uFFFD[2J\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestAgesAreToldInOneUnit(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		at   time.Time
		want string
	}{
		{"never", time.Time{}, ""},
		{"a clock that is ahead", now.Add(time.Minute), "0s"},
		{"seconds", now.Add(-59 * time.Second), "59s"},
		{"minutes", now.Add(-3*time.Minute - 59*time.Second), "3m"},
		{"hours", now.Add(-47 * time.Hour), "47h"},
		{"days", now.Add(-50 * time.Hour), "2d"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ago(c.at, now); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
