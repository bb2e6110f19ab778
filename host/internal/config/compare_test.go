package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

// changes are what Changes tells of sandbox s of two configurations.
func changes(t *testing.T, before, now string) []string {
	t.Helper()
	old, fresh := only(t, before), only(t, now)
	all, err := config.Changes(old, fresh)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range all {
		lines = append(lines, c.String())
	}
	return lines
}

// only is the spec of the only sandbox of a configuration, in a fixed folder.
func only(t *testing.T, text string) *config.Spec {
	t.Helper()
	s := spec(t, load(t, text), "")
	s.Project = "/project"
	return s
}

func TestChangesAreToldInTheWordsOfTheLanguage(t *testing.T) {
	const setup = "  setup { run = [\"one\", \"two\"] }\n  setup { run = [\"three\"] }\n"
	before := strings.Replace(keyed, `workspace "w" {`, "workspace \"w\" {\n"+setup, 1)
	tests := []struct {
		name, old, new string
		want           []string
	}{
		{"nothing", `K = "v"`, `K = "v"`, nil},
		{"the image", `image   = "debian:12"`, `image = "debian:13"`, []string{`provider image changed: "debian:12" -> "debian:13"`}},
		{"a block's label", `volume "tmp"`, `volume "dir"`, []string{
			`provider volume changed: [{"kind":"tmp","target":"/a"}] -> [{"kind":"dir","target":"/a"}]`,
		}},
		{"another secret", "token   = secret.A", "token = secret.B", []string{`provider token changed: secret.A -> secret.B`}},
		{"a value of the environment isn't shown", `K = "v"`, `K = "private"`, []string{"env K changed"}},
		{"a variable less and another more", `K = "v"`, `M = "v"`, []string{"env K removed", "env M added"}},
		{"a workspace secret", "[secret.A, secret.B]", "[secret.A]", []string{"secret B removed"}},
		{"the second step", `"two"`, `"deux"`, []string{`setup step 2 changed: "two" -> "deux"`}},
		{"a step in between", `"two"`, `"new", "two"`, []string{`setup step 2 added: "new"`}},
		{"the last step", `  setup { run = ["three"] }`, ``, []string{`setup step 3 removed: "three"`}},
		{"the blocks of the steps", `"two"] }` + "\n" + `  setup { run = ["three"]`, `"two", "three"]`, []string{"the division of setup into blocks changed"}},
		{"several steps", setup, `setup { run = ["uno", "dos", "tres"] }`, []string{
			`setup step 1 changed: "one" -> "uno"`, `setup step 2 changed: "two" -> "dos"`, `setup step 3 changed: "three" -> "tres"`,
		}},
		{"a source", setup, setup + `source "local" { path = "." }`, nil}, // below: its path is this test's
		{"a network that is denied", `policy "p" {}`, "policy \"p\" {\n network { default = \"deny\" }\n}", []string{"network changed: open -> denied"}},
		{"the block's name", `sandbox "s"`, `sandbox "r"`, []string{`sandbox block changed: "s" -> "r"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(before, tt.old) {
				t.Fatalf("%q isn't in the configuration", tt.old)
			}
			got := changes(t, before, strings.Replace(before, tt.old, tt.new, 1))
			if tt.name == "a source" {
				if len(got) != 2 || got[0] != `source kind added: "local"` || !strings.HasPrefix(got[1], "source path added: ") {
					t.Errorf("got %q", got)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}
