package reference_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/host/internal/reference"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
	"github.com/sandlot-dev/sandlot/sdk/schema"
)

var update = flag.Bool("update", false, "write the pages in testdata")

type cloud struct {
	Image   string                   `hcl:"image" default:"debian:12" doc:"Image to start." example:"\"node:22\""`
	Region  string                   `hcl:"region" doc:"Region, one of a|b" example:"\"a\""`
	Token   schema.Secret            `hcl:"token" doc:"API token."`
	Headers map[string]schema.Secret `hcl:"headers,optional"`
	Wait    time.Duration            `hcl:"wait" default:"60s" identity:"false"`
	Old     string                   `hcl:"old,optional" deprecated:"use image"`
	Retry   *retry                   `hcl:"retry,block" doc:"How often to try again."`
	Volumes []volume                 `hcl:"volume,block"`
	Net     net                      `hcl:"net,block"`
}

type retry struct {
	Times int `hcl:"times" default:"3"`
}

type volume struct {
	Kind    string   `hcl:"kind,label"`
	Target  string   `hcl:"target"`
	Options []option `hcl:"option,block" deprecated:"use target"`
}

type option struct {
	Value bool `hcl:"value"`
}

type net struct {
	Ports []int `hcl:"ports"`
}

func described(t *testing.T, config any) schema.Block {
	t.Helper()
	s, err := schema.Of(config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func provider(t *testing.T) plugins.Description {
	return plugins.Description{
		Kind: plugins.Provider, Type: "cloud", Version: "1.2.3", SDK: "0.1.0", Protocols: []int{1, 2},
		Capabilities: &sandbox.Capabilities{
			Files: true, Ports: true, Snapshots: true, PTY: true, NetworkPolicy: "allow_list", Disruption: sandbox.DisruptionPause,
		},
		Schema: described(t, cloud{}), Env: []string{"CLOUD_TOKEN"}, Licence: "MIT", Issues: "https://example.com/issues",
	}
}

func TestPages(t *testing.T) {
	tests := []struct {
		name, file string
		d          plugins.Description
	}{
		{"a provider with all that a schema can have", "provider.md", provider(t)},
		{"a harness that knows its agent", "harness.md", plugins.Description{
			Kind: plugins.Harness, Type: "some-agent", Version: "dev", Protocols: []int{1},
			Traits: &harness.Traits{
				Program: "agent", Install: "npm i -g agent", TestedFrom: "1.0", TestedTo: "1.9", ModelHosts: []string{"api.example.com"},
				AuthModes: []harness.Auth{{Mode: "api-key", Variables: []string{"AGENT_KEY"}}},
				Commands:  harness.EnforcesNatively, FileWrites: harness.EnforcesByAsking, NetworkRules: harness.EnforcesNot,
			},
			Env: []string{"*"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var common schema.Block
			if tt.d.Kind == plugins.Harness {
				common = described(t, retry{})
			}
			got, path := reference.Page(tt.d, common), filepath.Join("testdata", tt.file)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNothingOfAPluginIsMarkup replaces every text of a description by one that
// would be markup: the page has the same lines.
func TestNothingOfAPluginIsMarkup(t *testing.T) {
	for _, evil := range []string{
		"\x1b[2J", "\n\n# head\n", "```\n</pre>", "``a```b", "<script>x</script>", "[a](javascript:x)", "![a](http://x)", "a | b", "\u202ea", "\xff",
		"javascript:x", "https://x/ <b>", "https://x/)[y](z", "*a* **b**", `\`, "`", "",
	} {
		t.Run(evil, func(t *testing.T) {
			d := provider(t)
			data, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			var tree any
			if err := json.Unmarshal(data, &tree); err != nil {
				t.Fatal(err)
			}
			if data, err = json.Marshal(replaced(tree, evil)); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, &d); err != nil {
				t.Fatal(err)
			}
			d.Kind = plugins.Provider
			got, same := reference.Page(d, schema.Block{}), reference.Page(named(t, d), schema.Block{})
			if strings.Count(got, "\n") != strings.Count(same, "\n") {
				t.Errorf("it makes other lines:\n%s", got)
			}
			for _, line := range strings.Split(got, "\n") {
				if strings.HasPrefix(line, "|") && strings.Count(line, "|")-strings.Count(line, `\|`) != strings.Count(sameRow(line), "|") {
					t.Errorf("a row has other cells: %s", line)
				}
			}
			bare := strings.NewReplacer("&lt;", "", "&gt;", "").Replace(got)
			if strings.ContainsFunc(bare, func(r rune) bool { return r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) {
				t.Errorf("it has control characters: %q", bare)
			}
			for _, at := range regexp.MustCompile(`(?:[^\\]\]\()(javascript|z\)|http://x)`).FindAllString(outsideCode(bare), -1) {
				t.Errorf("it has the link %q: %s", at, got)
			}
			if strings.Contains(outsideCode(bare), "<") {
				t.Errorf("it has tags: %s", got)
			}
		})
	}
}

// named is the same description with harmless texts.
func named(t *testing.T, d plugins.Description) plugins.Description {
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		t.Fatal(err)
	}
	if data, err = json.Marshal(replaced(tree, "x")); err != nil {
		t.Fatal(err)
	}
	var out plugins.Description
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	out.Kind = plugins.Provider
	return out
}

// replaced is a JSON value with every string replaced.
func replaced(v any, by string) any {
	switch v := v.(type) {
	case string:
		return by
	case []any:
		for i := range v {
			v[i] = replaced(v[i], by)
		}
	case map[string]any:
		for k := range v {
			v[k] = replaced(v[k], by)
		}
	}
	return v
}

// sameRow is as many bars as a row of that kind has.
func sameRow(line string) string {
	switch {
	case !strings.HasPrefix(line, "|"):
		return ""
	case strings.HasPrefix(line, "|---|---|---|"), strings.HasPrefix(line, "| argument"):
		return "|||||"
	case strings.HasPrefix(line, "|---"), strings.HasPrefix(line, "| capability"), strings.HasPrefix(line, "| `fs`"), strings.HasPrefix(line, "| `writable_stdin`"),
		strings.HasPrefix(line, "| `killable"), strings.HasPrefix(line, "| `durable"), strings.HasPrefix(line, "| `pty`"), strings.HasPrefix(line, "| `brokers"), strings.HasPrefix(line, "| `network"),
		strings.HasPrefix(line, "| `ports`"), strings.HasPrefix(line, "| `snapshots`"), strings.HasPrefix(line, "| `fork`"),
		strings.HasPrefix(line, "| `keep_alive`"), strings.HasPrefix(line, "| `disruption`"):
		return "|||"
	}
	return "|||||"
}

// outsideCode is a page without its code spans and blocks.
func outsideCode(page string) string {
	var out strings.Builder
	for i := 0; i < len(page); {
		n := 0
		for i+n < len(page) && page[i+n] == '`' {
			n++
		}
		escaped := i > 0 && page[i-1] == '\\'
		if n == 0 || escaped {
			out.WriteByte(page[i])
			i++
			continue
		}
		fence := strings.Repeat("`", n)
		end := i + n
		for {
			j := strings.Index(page[end:], fence)
			if j < 0 {
				return out.String() + page[i:]
			}
			end += j
			m := 0
			for end+m < len(page) && page[end+m] == '`' {
				m++
			}
			end += m
			if m == n {
				break
			}
		}
		i = end
	}
	return out.String()
}
