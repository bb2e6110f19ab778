package secrets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const canary = "canary-value-4711"

func TestResolveNamesWhatIsWrongAndWhatToDo(t *testing.T) {
	env := map[string]string{"GOOD": canary, "EMPTY": "", "SHORT": "1234567", "NUL": canary + "\x00"}
	tests := []struct {
		name   string
		source Source
		value  string
		want   string
	}{
		{"a variable that isn't set", Source{Env: "NONE", Redact: true}, "", "resolve secret S: the environment variable NONE isn't set; export NONE=..."},
		{"a variable that is empty", Source{Env: "EMPTY", Redact: true}, "", "resolve secret S: the environment variable EMPTY is empty; export EMPTY=..."},
		{"a variable that is too short", Source{Env: "SHORT", Redact: true}, "", "resolve secret S: its value, from the environment variable SHORT, has fewer than 8 bytes, too few to scrub from output; " +
			"use a longer one, or set redact = false in its secret block"},
		{"a variable with a NUL byte", Source{Env: "NUL", Redact: true}, "", "resolve secret S: its value, from the environment variable NUL, has a NUL byte, which no environment can hold: " +
			"it may be binary, or text in UTF-16; store it as text, encoded if need be"},
		{"a value that is missing", Source{Value: true, Redact: true}, "", "resolve secret S: its value is missing or empty; " +
			"set value in its secret block, and start the run from its configuration"},
		{"no source", Source{Redact: true}, canary, "resolve secret S: it doesn't have exactly one source; give it env, file, command or value in its secret block"},
		{"two sources", Source{Env: "GOOD", Value: true}, canary, "resolve secret S: it doesn't have exactly one source; give it env, file, command or value in its secret block"},
		{"a short one that isn't scrubbed", Source{Env: "SHORT"}, "", ""},
		{"a variable", Source{Env: "GOOD", Redact: true}, "", ""},
		{"a value", Source{Value: true, Redact: true}, canary, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
			_, err := (&Fetcher{Env: lookup, Values: map[string]string{"S": tt.value}}).Resolve(t.Context(), map[string]Source{"S": tt.source})
			got := ""
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if p := (*Problem)(nil); tt.want != "" && (!errors.As(err, &p) || p.Secret != "S") {
				t.Errorf("%v isn't a Problem about S", err)
			}
		})
	}
}

func TestResolveNamesEveryMissingSecret(t *testing.T) {
	none := func(string) (string, bool) { return "", false }
	_, err := (&Fetcher{Env: none}).Resolve(t.Context(), map[string]Source{"B": {Env: "B"}, "A": {Env: "A"}})
	if err == nil || strings.Index(err.Error(), "secret A") > strings.Index(err.Error(), "secret B") || !strings.Contains(err.Error(), "secret B") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&Fetcher{Env: none}).Resolve(ctx, map[string]Source{"A": {Env: "A"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v after a cancel", err)
	}
}

// tester is a testing.TB, or rapid's.
type tester interface {
	Helper()
	Fatal(args ...any)
	Context() context.Context
}

func set(t tester, values map[string]string) *Set {
	t.Helper()
	sources := map[string]Source{}
	for name := range values {
		sources[name] = Source{Value: true, Redact: true}
	}
	s, err := (&Fetcher{Values: values}).Resolve(t.Context(), sources)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSetPutsValuesWhereTheyAreReferredTo(t *testing.T) {
	s := set(t, map[string]string{"A": "aaaaaaaa", "B": "bbbbbbbb"})
	got, err := s.Expand([]Part{{Text: "Bearer "}, {Secret: "A"}, {Text: ":"}, {Secret: "B"}})
	if err != nil || got != "Bearer aaaaaaaa:bbbbbbbb" {
		t.Errorf("got %q, %v", got, err)
	}
	env, err := s.Env([]string{"B"})
	if diff := cmp.Diff(map[string]string{"B": "bbbbbbbb"}, env); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := s.Env([]string{"C"}); err == nil {
		t.Error("an unknown secret has a value")
	}
	if _, err := s.Expand([]Part{{Secret: "C"}}); err == nil {
		t.Error("an unknown secret was expanded")
	}
}

func TestSetDoesNotPrintItself(t *testing.T) {
	s := set(t, map[string]string{"A": canary})
	text, err := json.Marshal(map[string]any{"set": s})
	if err != nil {
		t.Fatal(err)
	}
	if out := fmt.Sprintf("%v %+v %#v %s %s", s, s, s, s, text); strings.Contains(out, canary) || !strings.Contains(out, "***") {
		t.Errorf("got %s", out)
	}
}
