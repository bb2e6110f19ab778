package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/schema"
)

func TestSecretNeverPrintsItself(t *testing.T) {
	const canary = "canary-4711"
	s := schema.NewSecret(canary)
	if s.Reveal() != canary {
		t.Fatal("the value is lost")
	}
	type holder struct {
		Public  schema.Secret
		private schema.Secret
		list    []schema.Secret
		keyed   map[string]schema.Secret
	}
	h := holder{s, s, []schema.Secret{s}, map[string]schema.Secret{"k": s}}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb+"\n", s)
		fmt.Fprintf(&out, verb+"\n", &s)
		fmt.Fprintf(&out, verb+"\n", h)
		fmt.Fprintf(&out, verb+"\n", h.list)
		fmt.Fprintf(&out, verb+"\n", h.keyed)
	}
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "s", s, "h", h)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "s", s, "h", h)
	if err := json.NewEncoder(&out).Encode(map[string]any{"s": s, "h": h, "l": h.list}); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(&out, json.Unmarshal([]byte(`{"`+canary+`": 1}`), &s))
	for _, form := range []string{canary, fmt.Sprintf("%x", canary)} {
		if strings.Contains(out.String(), form) {
			t.Errorf("the value was printed:\n%s", out.String())
		}
	}
	if !strings.Contains(out.String(), "***") {
		t.Error("nothing stands for the value")
	}
}

func TestSecretReadsJSONAndCompares(t *testing.T) {
	var got map[string][]schema.Secret
	if err := json.Unmarshal([]byte(`{"a": ["x", ""]}`), &got); err != nil {
		t.Fatal(err)
	}
	if !got["a"][0].Equal(schema.NewSecret("x")) || got["a"][0].Equal(got["a"][1]) || !got["a"][1].IsZero() {
		t.Error("secrets read from JSON differ from what was written")
	}
}

func TestTypeIsAClosedSet(t *testing.T) {
	for _, typ := range []schema.Type{"string", "bool", "int", "number", "duration", "secret", "list(secret)", "map(duration)"} {
		if !typ.Valid() {
			t.Errorf("%s is refused", typ)
		}
	}
	for _, typ := range []schema.Type{"", "list", "list()", "list(list(string))", "map(any)", "set(string)", "list(string", "object"} {
		if typ.Valid() {
			t.Errorf("%s is accepted", typ)
		}
	}
}
