package schema_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/schema"
)

type mount struct {
	Kind   string `hcl:"kind,label"`
	Target string `hcl:"target"`
	Ro     bool   `hcl:"ro" default:"true"`
}

type retry struct {
	Times int `hcl:"times"`
}

type config struct {
	Image   string                   `hcl:"image" default:"node:22" doc:"Image to start." example:"\"debian:12\""`
	CPUs    *float64                 `hcl:"cpus"`
	Count   int                      `hcl:"count"`
	Token   schema.Secret            `hcl:"token,optional"`
	Headers map[string]schema.Secret `hcl:"headers,optional"`
	Args    []string                 `hcl:"args" default:"[\"-a\", \"b\"]"`
	Wait    time.Duration            `hcl:"wait" default:"30s" identity:"false"`
	Waits   []time.Duration          `hcl:"waits,optional" deprecated:"use wait"`
	Mounts  []mount                  `hcl:"mount,block" doc:"Folders."`
	Retry   *retry                   `hcl:"retry,block" identity:"false"`
	Own     chan int
}

func TestOf(t *testing.T) {
	got, err := schema.Of((*config)(nil))
	if err != nil {
		t.Fatal(err)
	}
	want := schema.Block{
		Attributes: []schema.Attribute{
			{Name: "image", Type: "string", Default: json.RawMessage(`"node:22"`), Doc: "Image to start.", Example: `"debian:12"`, Identity: true},
			{Name: "cpus", Type: "number", Identity: true},
			{Name: "count", Type: "int", Required: true, Identity: true},
			{Name: "token", Type: "secret", Identity: true, Sensitive: true},
			{Name: "headers", Type: "map(secret)", Identity: true, Sensitive: true},
			{Name: "args", Type: "list(string)", Default: json.RawMessage(`["-a","b"]`), Identity: true},
			{Name: "wait", Type: "duration", Default: json.RawMessage(`"30s"`)},
			{Name: "waits", Type: "list(duration)", Deprecated: "use wait", Identity: true},
		},
		Blocks: []schema.NestedBlock{
			{Name: "mount", Labels: []string{"kind"}, Nesting: schema.List, Doc: "Folders.", Block: schema.Block{Attributes: []schema.Attribute{
				{Name: "target", Type: "string", Required: true, Identity: true},
				{Name: "ro", Type: "bool", Default: json.RawMessage(`true`), Identity: true},
			}}},
			{Name: "retry", Nesting: schema.Single, Max: 1, Block: schema.Block{Attributes: []schema.Attribute{
				{Name: "times", Type: "int", Required: true},
			}}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	data, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var back schema.Block
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, back); diff != "" {
		t.Errorf("a schema doesn't survive JSON:\n%s", diff)
	}
}

type recursive struct {
	Next *recursive `hcl:"next,block"`
}

func TestOfRefusesWhatItCannotDescribe(t *testing.T) {
	tests := []struct {
		name string
		in   any
		want string
	}{
		{"nil", nil, "a struct is needed"},
		{"not a struct", 3, "a struct is needed, not int"},
		{"a channel", struct {
			A chan int `hcl:"a"`
		}{}, "field struct { A chan int \"hcl:\\\"a\\\"\" }.A: the type chan int isn't supported"},
		{"a struct without the block tag", struct {
			A retry `hcl:"a"`
		}{}, "structs only with the block tag"},
		{"a list of lists", struct {
			A [][]string `hcl:"a"`
		}{}, "the type []string isn't supported"},
		{"a map with int keys", struct {
			A map[int]string `hcl:"a"`
		}{}, "keys of map[int]string must be strings"},
		{"a pointer to a list", struct {
			A *[]string `hcl:"a"`
		}{}, "use the optional tag"},
		{"an unexported field", struct {
			a string `hcl:"a"`
		}{}, "must be exported"},
		{"an unknown option", struct {
			A string `hcl:"a,optinal"`
		}{}, `unknown option "optinal"`},
		{"a bad name", struct {
			A string `hcl:"A-b"`
		}{}, "must be lower case"},
		{"the same name twice", struct {
			A string `hcl:"a"`
			B string `hcl:"a"`
		}{}, `the name "a" is taken by field A`},
		{"a default that isn't an int", struct {
			A int `hcl:"a" default:"x"`
		}{}, `default "x" isn't JSON for int`},
		{"a default of the wrong type", struct {
			A int `hcl:"a" default:"true"`
		}{}, "a whole number is needed"},
		{"a default that isn't a duration", struct {
			A time.Duration `hcl:"a" default:"3 parsecs"`
		}{}, "a duration such as"},
		{"a secret with a default", struct {
			A schema.Secret `hcl:"a" default:"hunter2"`
		}{}, "a secret has no default"},
		{"a default without a name", struct {
			A string `default:"x"`
		}{}, "has a default but no hcl tag"},
		{"a block with a default", struct {
			A retry `hcl:"a,block" default:"{}"`
		}{}, "a block has no default"},
		{"a block of strings", struct {
			A []string `hcl:"a,block"`
		}{}, "a block must be a struct"},
		{"a label outside a nested block", struct {
			A string `hcl:"a,label"`
		}{}, "only a nested block has labels"},
		{"a label that isn't a string", struct {
			A int `hcl:"a,label"`
		}{}, "a label must be a string"},
		{"an identity that isn't a bool", struct {
			A string `hcl:"a" identity:"no"`
		}{}, `identity is "true" or "false"`},
		{"a recursive block", recursive{}, "contains itself"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := schema.Of(tt.in)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestDecodeFillsEveryKindOfField(t *testing.T) {
	var got config
	err := schema.Decode([]byte(`{
		"cpus": 1.5, "count": 9007199254740993, "token": "hunter22", "headers": {"A": "x"}, "waits": ["1m", "2s"],
		"mount": [{"kind": "tmp", "target": "/t"}, {"kind": "dir", "target": "/d", "ro": false}], "retry": {"times": 3}
	}`), &got)
	if err != nil {
		t.Fatal(err)
	}
	cpus := 1.5
	want := config{
		Image: "node:22", CPUs: &cpus, Count: 9007199254740993, Token: schema.NewSecret("hunter22"),
		Headers: map[string]schema.Secret{"A": schema.NewSecret("x")}, Args: []string{"-a", "b"}, Wait: 30 * time.Second,
		Waits:  []time.Duration{time.Minute, 2 * time.Second},
		Mounts: []mount{{"tmp", "/t", true}, {"dir", "/d", false}}, Retry: &retry{3},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeNamesThePathOfAMistake(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"not JSON", `{`, "not valid JSON"},
		{"two values", `{} {}`, "not valid JSON"},
		{"not an object", `[]`, "an object is needed"},
		{"a missing attribute", `{}`, "count: it is required"},
		{"a null required attribute", `{"count": null}`, "count: it is required"},
		{"a fraction", `{"count": 1.5}`, "count: a whole number is needed"},
		{"a number too big", `{"count": 9223372036854775808}`, "count: a whole number is needed"},
		{"a list element", `{"count": 1, "args": ["a", 2]}`, "args[1]: a string is needed"},
		{"a map element", `{"count": 1, "headers": {"x y": 1}}`, `headers["x y"]: a string is needed`},
		{"a duration", `{"count": 1, "wait": 3}`, "wait: a duration such as"},
		{"a nested attribute", `{"count": 1, "mount": [{"kind": "a", "target": "b"}, {"kind": "a"}]}`, "mount[1].target: it is required"},
		{"a label", `{"count": 1, "mount": [{"target": "b"}]}`, "mount[0].kind: the label is missing"},
		{"an unknown key", `{"count": 1, "retry": {"times": 1, "tmies": 2}}`, "retry.tmies: this plugin doesn't know it"},
		{"a block that is a list", `{"count": 1, "retry": []}`, "retry: an object is needed"},
		{"a list that is a block", `{"count": 1, "mount": {}}`, "mount: a list of blocks is needed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var c config
			err := schema.Decode([]byte(tt.in), &c)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestDecodeRequiresARequiredBlock(t *testing.T) {
	var c struct {
		Retry retry `hcl:"retry,block"`
	}
	if err := schema.Decode([]byte(`{}`), &c); err == nil || err.Error() != "retry: the block is required" {
		t.Errorf("got %v", err)
	}
	if err := schema.Decode([]byte(`{}`), c); err == nil {
		t.Error("a struct that isn't behind a pointer was accepted")
	}
}

func FuzzDecodeNeverPanics(f *testing.F) {
	f.Add([]byte(`{"count": 1, "mount": [{"kind": "a"}], "headers": {"a": null}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c config
		_ = schema.Decode(data, &c)
	})
}
