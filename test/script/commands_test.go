//go:build linux

package script

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// limit is how long a case waits for a cause.
const limit = 30 * time.Second

// exits runs a command that must end with that code: exits CODE PROGRAM [ARG...].
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG...]")
	}
	got := "exit status 0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		got = err.Error()
	}
	if want := "exit status " + args[0]; got != want {
		ts.Fatalf("ended with %s, want %s", got, want)
	}
}

// until runs a command again and again until what it prints on stdout matches, or
// with "!" doesn't match any more: until PATTERN PROGRAM [ARG...].
func until(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: [!] until PATTERN PROGRAM [ARG...]")
	}
	pattern, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	deadline := time.Now().Add(limit)
	for {
		failed := ts.Exec(args[1], args[2:]...)
		if pattern.MatchString(ts.ReadFile("stdout")) != neg {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("not within %s (%v)", limit, failed)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// jsonLines checks the last stdout: NDJSON that begins with the version, and has
// a line of each of the types: json [TYPE...].
func jsonLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: json [TYPE...]")
	}
	var types []string
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		var l struct{ Type, Version string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			ts.Fatalf("line %d isn't JSON: %v: %s", len(types)+1, err, line)
		}
		if l.Type == "" {
			ts.Fatalf("line %d has no type: %s", len(types)+1, line)
		}
		if (len(types) == 0) != (l.Type == "version") || l.Type == "version" && l.Version != version {
			ts.Fatalf("line %d: the version belongs into the first line and nowhere else: %s", len(types)+1, line)
		}
		types = append(types, l.Type)
	}
	if len(types) == 0 {
		ts.Fatalf("there is no line")
	}
	for _, want := range args {
		if !slices.Contains(types, want) {
			ts.Fatalf("no line of type %q, only %q", want, types)
		}
	}
}
