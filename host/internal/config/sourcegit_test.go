package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

func withSource(source string) string {
	return "secret \"GH\" { env = \"GH_TOKEN\" }\nsecret \"OTHER\" { env = \"OTHER\" }\n" +
		strings.Replace(filled, `source "local" { path = "/usr" }`, source, 1)
}

func TestAGitSourceIsResolved(t *testing.T) {
	token := config.Value{Parts: []config.Part{{Secret: "GH"}}}
	tests := []struct {
		name, source string
		want         config.Source
	}{
		{
			"a URL alone", `source "git" { url = "https://example.com/o/r.git" }`,
			config.Source{Kind: "git", URL: "https://example.com/o/r.git", Depth: 1},
		},
		{
			"all there is", "source \"git\" {\nurl = \"https://example.com/o/r.git\"\nref = \"v1\"\ndepth = 10\nsubmodules = true\ntoken = secret.GH\n}",
			config.Source{Kind: "git", URL: "https://example.com/o/r.git", Ref: "v1", Depth: 10, Submodules: true, Token: token},
		},
		{
			"the whole history", "source \"git\" {\nurl = \"https://example.com/o/r.git\"\ndepth = \"full\"\n}",
			config.Source{Kind: "git", URL: "https://example.com/o/r.git"},
		},
		{
			"ssh", `source "git" { url = "ssh://git@example.com:22/o/r.git" }`,
			config.Source{Kind: "git", URL: "ssh://git@example.com:22/o/r.git", Depth: 1},
		},
		{
			"ssh's short form", `source "git" { url = "git@example.com:o/r.git" }`,
			config.Source{Kind: "git", URL: "git@example.com:o/r.git", Depth: 1},
		},
		{
			"a repository of this machine", `source "git" { url = "file:///srv/r.git" }`,
			config.Source{Kind: "git", URL: "file:///srv/r.git", Depth: 1},
		},
		{
			"GitHub", "source \"github\" {\nrepo = \"owner/app.js\"\ntoken = secret.GH\n}",
			config.Source{Kind: "git", URL: "https://github.com/owner/app.js.git", Depth: 1, Token: token},
		},
		{
			"a GitHub of one's own", "source \"github\" {\nrepo = \"owner/app\"\nhost = \"git.example.com:8443\"\nref = \"main\"\n}",
			config.Source{Kind: "git", URL: "https://git.example.com:8443/owner/app.git", Ref: "main", Depth: 1},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := spec(t, load(t, withSource(tt.source)), "")
			if diff := cmp.Diff(tt.want, s.Workspace.Source); diff != "" {
				t.Error(diff)
			}
			_, known := s.Secrets["GH"]
			if want := len(tt.want.Token.Parts) > 0; known != want {
				t.Errorf("the token's secret is among the spec's: %v", known)
			}
		})
	}
}

func TestWhatAKeyTakesOfAGitSource(t *testing.T) {
	const whole = "source \"git\" {\nurl = \"https://github.com/o/r.git\"\nref = \"main\"\ntoken = secret.GH\n}"
	base := keyOf(t, withSource(whole), "t", "", "")
	tests := []struct {
		name, old, new string
		same           bool
	}{
		{"the URL", "/r.git", "/s.git", false},
		{"the ref", `"main"`, `"next"`, false},
		{"the depth", "ref", "depth = 2\nref", false},
		{"the default depth, written out", "ref", "depth = 1\nref", true},
		{"submodules", "ref", "submodules = true\nref", false},
		{"another secret", "secret.GH", "secret.OTHER", false},
		{"no secret", "token = secret.GH", "", false},
		{"text around the secret", "secret.GH", `"x${secret.GH}"`, true},
		{"the same repository as GitHub's", `source "git" {` + "\nurl = \"https://github.com/o/r.git\"", `source "github" {` + "\nrepo = \"o/r\"", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(whole, tt.old) {
				t.Fatalf("%q isn't in the source", tt.old)
			}
			if got := keyOf(t, withSource(strings.Replace(whole, tt.old, tt.new, 1)), "t", "", ""); (got == base) != tt.same {
				t.Errorf("same key: %v, want %v", got == base, tt.same)
			}
		})
	}
}
