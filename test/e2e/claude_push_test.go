//go:build linux

package e2e

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/test/gitserver"
)

// sourceToken opens the repository that the sandbox of [sourced] is made of.
const sourceToken = "tok_5a17c0de99e1"

// sourced is a repository that only a token opens, and another server, which would
// like to have the token.
type sourced struct {
	server, evil *gitserver.Server
	bare         string
	authorities  string // file of the certificates of both
}

func newSourced(t *testing.T) *sourced {
	t.Helper()
	dir, own, evils := t.TempDir(), t.TempDir(), t.TempDir()
	s := &sourced{bare: filepath.Join(dir, "app.git"), authorities: filepath.Join(own, "both.pem")}
	(&stage{t: t}).tool(dir, "", "git", "init", "-q", "--bare", "-b", "main", s.bare)
	s.commit(t, "first")
	var err error
	if s.server, err = gitserver.Start(dir, sourceToken, own); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.server.Close)
	if s.evil, err = gitserver.Start(evils, "never served", evils); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.evil.Close)
	var both []byte
	for _, ca := range []string{s.server.CA, s.evil.CA} {
		text, err := os.ReadFile(ca)
		must(t, err)
		both = append(both, text...)
	}
	must(t, os.WriteFile(s.authorities, both, 0o600))
	return s
}

// commit is what somebody else does meanwhile: the commit that main is at then.
func (s *sourced) commit(t *testing.T, text string) string {
	t.Helper()
	return (&stage{t: t}).tool("/", "", "sh", "-euc", `git clone -q "$1" "$2" 2>/dev/null; cd "$2"; echo "$3" >"$3"; git add .; git commit -qm "$3"
		git push -q origin HEAD:main; git rev-parse HEAD`, "sh", s.bare, filepath.Join(t.TempDir(), "clone"), text)
}

// use has the workspace of a project made of the repository.
func (s *sourced) use(c *claude) {
	c.t.Helper()
	c.edit(`workspace "scratch" { secrets = [secret.ANTHROPIC_API_KEY] }`, `
secret "GH" { env = "GH_TOKEN" }
workspace "scratch" {
  secrets = [secret.ANTHROPIC_API_KEY]
  source "git" {
    url   = "`+s.server.URL+`/app.git"
    ref   = "main"
    token = secret.GH
  }
}`)
	c.edit(`provider "localprocess" "here" {}`, `provider "localprocess" "here" { scrub_env = ["GH_TOKEN"] }`)
	c.env = append(c.env, "GH_TOKEN="+sourceToken, "GIT_SSL_CAINFO="+s.authorities)
}

// exchanges pushes and pulls. Nothing that was planted is run for a push; a pull
// merges as the sandbox is configured, in it and without the token.
func (p *planted) exchanges(own bool) {
	p.t.Helper()
	p.server.Requests() // those when the workspace was made
	if !own {
		for _, verb := range []string{"push", "pull"} {
			if r := p.run("git", "claude", verb).want(p.t, 125); !strings.Contains(r.stderr, "leads to another repository") {
				p.t.Errorf("%s says: %s", verb, clip(r.stderr))
			}
			p.quiet(verb)
		}
		if seen := p.server.Requests(); len(seen) > 0 {
			p.t.Errorf("the server was asked: %q", seen)
		}
		return
	}
	head := p.head()
	p.run("git", "claude", "push").want(p.t, 0)
	p.quiet("push")
	if got := p.tool(p.bare, "", "git", "rev-parse", "main"); got != head {
		p.t.Errorf("main was pushed to %s, want %s", got, head)
	}
	theirs := p.commit(p.t, "theirs")
	for _, file := range []string{".git/config", "evil", filepath.Join(p.agentHome(), ".gitconfig")} { // git ends where this one fails
		p.tool(p.root(), "", "git", "config", "-f", file, "--unset-all", "filter.x.process")
	}
	p.run("git", "claude", "pull").want(p.t, 0)
	if got := p.head(); got != theirs {
		p.t.Errorf("the workspace is at %s after the pull, want %s", got, theirs)
	}
	fired := p.fired()
	for way, chain := range fired {
		if !strings.Contains(chain, "/sandlot-provider-") || strings.Contains(chain, "(with the token)") {
			p.t.Errorf("%s ran during pull, on the host or with the token: %s", way, chain)
		}
	}
	if fired["smudge"] == "" {
		p.t.Errorf("the merge ran no filter, so nothing is told of pull; it ran %q", slices.Sorted(maps.Keys(fired)))
	}
	if seen := p.server.Requests(); !slices.ContainsFunc(seen, func(line string) bool { return strings.HasSuffix(line, " "+sourceToken) }) {
		p.t.Errorf("the server wasn't given the token: %q", seen)
	}
}

// head is the commit that the workspace is at.
func (p *planted) head() string {
	p.t.Helper()
	return p.tool(p.root(), "", "git", "-c", "core.fsmonitor=", "rev-parse", "HEAD")
}

// tokenless fails the test if the other server, the model or a file has the token,
// or the other server was reached at all.
func (p *planted) tokenless() {
	p.t.Helper()
	if seen := p.evil.Requests(); len(seen) > 0 {
		p.t.Errorf("the other server was asked: %q", seen)
	}
	for i, r := range p.model.Requests() {
		if strings.Contains(string(r.Body), sourceToken) {
			p.t.Errorf("request %d to the model has the token", i)
		}
	}
	for _, top := range []string{p.home, p.project, p.agentHome()} {
		must(p.t, filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if strings.Contains(string(text), sourceToken) {
				p.t.Errorf("the token is in %s", path)
			}
			return err
		}))
	}
}
