package gitsource_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitsource"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
	"github.com/sandlot-dev/sandlot/test/gitserver"
)

const secretToken = "tok_0123456789abcdef"

// private is a repository that only the token opens, and a machine that has it.
func private(t *testing.T) (*repo, *gitserver.Server, *host, gitsource.Remote) {
	t.Helper()
	r := newRepo(t)
	r.commit("one", "f", "x")
	s := serve(t, filepath.Dir(r.dir), secretToken)
	h := newHost(t, s)
	h.token = gitsource.Token{Value: secretToken, Secret: "GH"}
	return r, s, h, gitsource.Remote{URL: s.URL + "/" + filepath.Base(r.dir), Ref: "main", Depth: 1}
}

func TestATokenOpensARepositoryAndStaysNowhere(t *testing.T) {
	t.Parallel()
	_, s, h, remote := private(t)
	h.token.Value += "\n" // as a file ends
	var found string

	s.Watch(func() {
		if line := commandLines(secretToken); line != "" {
			found = line
		}
	})
	dir := h.fetch(remote)
	if found != "" {
		t.Errorf("it is an argument of %s", found)
	}
	for _, top := range []string{dir, h.cache} {
		err := filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if bytes.Contains(text, []byte(secretToken)) {
				t.Errorf("it is in %s", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if told := strings.Join(append(h.told, h.warns...), "\n"); strings.Contains(told, secretToken) {
		t.Error(told)
	}
}

func TestATokenThatIsRefusedIsNamedAndNotShown(t *testing.T) {
	t.Parallel()
	_, _, h, remote := private(t)
	tests := []struct {
		name  string
		token gitsource.Token
		class sandbox.Class
		says  string
	}{
		{"a wrong one", gitsource.Token{Value: "wrong-one-0123", Secret: "GH"}, sandbox.Unauthenticated, "secret.GH was given as the token"},
		{"none", gitsource.Token{}, sandbox.Unauthenticated, "write token = secret.NAME"},
		{"one of two lines", gitsource.Token{Value: "wrong-one-0123\nusername=x", Secret: "GH"}, sandbox.Invalid, "secret.GH as token: it holds a line break"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			other := *newHost(t, nil)
			other.env, other.token = h.env, tt.token
			_, err := other.try(t.Context(), remote)
			if sandbox.ClassOf(err) != tt.class || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("got %s: %v", sandbox.ClassOf(err), err)
			}
			if strings.Contains(err.Error(), "wrong-one") {
				t.Errorf("it is shown: %v", err)
			}
		})
	}
}

// A server that wants the token for itself sends git to another host, or names one
// in a submodule.
func TestATokenGoesToNoOtherHost(t *testing.T) {
	t.Parallel()
	r, s, h, remote := private(t)
	evil := serve(t, t.TempDir(), "never served")
	leaked := func(t *testing.T) {
		t.Helper()
		seen := evil.Requests()
		if len(seen) == 0 {
			t.Error("the other host wasn't asked, so this test tells nothing")
		}
		for _, line := range seen {
			if strings.Contains(line, secretToken) {
				t.Errorf("it went to the other host: %s", line)
			}
		}
	}
	both := filepath.Join(t.TempDir(), "ca.pem")
	var authorities []byte
	for _, ca := range []string{s.CA, evil.CA} {
		text, err := os.ReadFile(ca)
		if err != nil {
			t.Fatal(err)
		}
		authorities = append(authorities, text...)
	}
	if err := os.WriteFile(both, authorities, 0o600); err != nil {
		t.Fatal(err)
	}
	h.env["GIT_SSL_CAINFO"] = both
	inner := newRepo(t)
	inner.commit("inner", "g", "y")
	r.module("sub", evil.URL+"/x", inner.git("rev-parse", "HEAD"), "")
	remote.Submodules = true
	_, err := h.try(t.Context(), remote)
	if sandbox.ClassOf(err) != sandbox.Unauthenticated || !strings.Contains(err.Error(), "secret.GH, is for "+s.URL+" alone") {
		t.Errorf("got %v", err)
	}
	leaked(t)
	s.Redirect(func(req *http.Request) string { return evil.URL + req.URL.Path + "?" + req.URL.RawQuery })
	if _, err := h.try(t.Context(), remote); err == nil {
		t.Error("it was fetched")
	}
	leaked(t)
}

func TestSubmodulesOfTheSameHostAreFetchedWithTheToken(t *testing.T) {
	t.Parallel()
	r, _, h, remote := private(t)
	inner := newRepo(t)
	first := inner.commit("first", "g", "1")
	inner.commit("second", "g", "2")
	beside(t, r, inner)
	r.module("sub", "../"+filepath.Base(inner.dir)+".inner", first, "")
	remote.Submodules = true
	for _, depth := range []int{1, 0} {
		remote.Depth = depth
		dir := h.fetch(remote)
		if text, err := os.ReadFile(filepath.Join(dir, "sub", "g")); string(text) != "1" || err != nil {
			t.Errorf("the submodule's file holds %q, %v", text, err)
		}
		if got := git(t, dir, "status", "--porcelain"); got != "" {
			t.Errorf("status: %s", got)
		}
		if got := git(t, dir, "submodule", "status"); !strings.HasPrefix(got, first) {
			t.Errorf("submodule status: %s", got)
		}
	}
	remote.Submodules = false
	dir := h.fetch(remote)
	if left, err := os.ReadDir(filepath.Join(dir, "sub")); len(left) > 0 || err != nil {
		t.Errorf("not asked for: %v, %v", left, err)
	}
	if got := git(t, dir, "status", "--porcelain"); got != "" {
		t.Errorf("status: %s", got)
	}
}
