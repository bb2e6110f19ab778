package harnesstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Golden compares a session with the file at path: its events, its requests for
// permission, its result. update writes the file instead: let a flag of your
// test say so, and read the difference before you keep it.
func Golden(t T, path string, r *Record, update bool) {
	t.Helper()
	var got bytes.Buffer
	for _, p := range r.Payloads {
		got.Write(p)
		got.WriteByte('\n')
	}
	for _, a := range r.Asks {
		fmt.Fprintf(&got, "ask %s %s %q %q\n", a.ID, a.Kind, a.Target, a.Title)
	}
	result, err := json.MarshalIndent(r.Result, "", "\t")
	if err != nil {
		t.Fatalf("encode result: %v", err)
	}
	got.Write(append(result, '\n'))
	if update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatalf("write golden file: %v", err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("read golden file: %v", err)
	}
	old, now := strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")
	for i := range max(len(old), len(now)) {
		switch {
		case i >= len(old):
			t.Errorf("%s ends at line %d; the session goes on with %s", path, i, now[i])
			return
		case i >= len(now):
			t.Errorf("the session ends before line %d of %s: %s", i+1, path, old[i])
			return
		case old[i] != now[i]:
			t.Errorf("line %d of %s is another now:\n-%s\n+%s", i+1, path, old[i], now[i])
			return
		}
	}
}
