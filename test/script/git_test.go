//go:build linux

package script

import (
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sandlot-dev/sandlot/test/gitserver"
)

// gitserve serves a repository over TLS, to those who have a token: gitserve
// [TOKEN]. It has two commits on main, a branch side and a tag v1 at the first one.
// Its address is $GIT_URL, its folder $GIT_REPO, and its certificate is trusted.
func gitserve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: gitserve [TOKEN]")
	}
	token := ""
	if len(args) == 1 {
		token = args[0]
	}
	dir, work := ts.MkAbs("served"), ts.MkAbs("served-work")
	ts.Check(os.MkdirAll(dir, 0o700))
	git := func(args ...string) {
		args = append([]string{"-C", work, "-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)
		ts.Check(ts.Exec("git", args...))
	}
	ts.Check(ts.Exec("git", "init", "-q", "-b", "main", work))
	for _, text := range []string{"one\n", "two\n"} {
		ts.Check(os.WriteFile(filepath.Join(work, "README.md"), []byte(text), 0o600))
		git("add", "-A")
		git("commit", "-q", "-m", text)
		if text == "one\n" {
			git("tag", "v1")
			git("branch", "side")
		}
	}
	git("clone", "-q", "--bare", ".", filepath.Join(dir, "app.git"))
	ts.Check(os.RemoveAll(work))
	s, err := gitserver.Start(dir, token, ts.MkAbs("."))
	ts.Check(err)
	ts.Defer(s.Close)
	ts.Setenv("GIT_URL", s.URL+"/app.git")
	ts.Setenv("GIT_REPO", filepath.Join(dir, "app.git"))
	ts.Setenv("GIT_SSL_CAINFO", s.CA)
}
