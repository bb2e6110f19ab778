package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func localSource(top string, ignore bool, files ...SecretFile) What {
	return What{Workspace: config.Workspace{Source: config.Source{Kind: "local", Path: top, Gitignore: ignore}}, Secrets: files}
}

func TestASecretsFileThatASourceWouldCopyIsFound(t *testing.T) {
	const (
		move  = "move it out of that folder"
		write = move + ", or name it in a .gitignore file there"
		both  = write + " and set gitignore = true"
	)
	for _, c := range []struct {
		name   string
		lay    string // files, beside and in the source's folder "app"
		file   string // of the secret
		ignore bool
		as     string // what is said of its name there; empty: it is its own
		fix    string // empty: it isn't copied
		fails  bool   // the source can't be copied
	}{
		{name: "it lies in the folder", lay: "app/token", file: "app/token", fix: both},
		{name: "it lies deep in it", lay: "app/a/b/token", file: "app/a/b/token", fix: both},
		{name: "it lies beside it", lay: "app/main.go, token", file: "token"},
		{name: "it lies in a folder whose name begins alike", lay: "app/main.go, app-keys/token", file: "app-keys/token"},
		{name: "it isn't there", lay: "app/main.go", file: "app/token"},
		{name: "it is a folder", lay: "app/token/x", file: "app/token"},
		{name: "it is ignored, and that counts", lay: "app/.gitignore = token, app/token", file: "app/token", ignore: true},
		{name: "it is ignored, and that doesn't count", lay: "app/.gitignore = token, app/token", file: "app/token", fix: both},
		{name: "another is ignored", lay: "app/.gitignore = other, app/token", file: "app/token", ignore: true, fix: write},
		{name: "a folder above it is ignored", lay: "app/.gitignore = keys/, app/keys/token", file: "app/keys/token", ignore: true},
		{name: "git's folder is copied whatever is ignored", lay: "app/.gitignore = *, app/.git/token", file: "app/.git/token", ignore: true, fix: move},
		{name: "it lies in what is left out as our own", lay: "app/state/token", file: "app/state/token"},
		{name: "a link leads to it from outside", lay: "app/token, link -> app/token", file: "link", as: " as token", fix: both},
		{name: "a link in the folder leads to it", lay: "app/token, app/link -> token", file: "app/link", as: " as token", fix: both},
		{name: "its folder is reached by a link", lay: "app/token, way -> app", file: "way/token", as: " as token", fix: both},
		{name: "a link leads out of the folder", lay: "app/link -> ../token, token", file: "app/link", fails: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			top := lay(t, strings.Split(c.lay, ", ")...)
			app, file := filepath.Join(top, "app"), SecretFile{Secret: "KEY", Path: filepath.Join(top, c.file)}
			w := localSource(app, c.ignore, SecretFile{Secret: "OTHER", Path: filepath.Join(top, "none")}, file)
			w.Skip = []string{filepath.Join(app, "state")}
			var want []Leak
			if c.fix != "" {
				want = []Leak{{file, `secret KEY: source "local" copies its file ` + file.Path + " into the sandbox, since it lies in the folder " + app +
					c.as + "; the agent can read it there, whatever its policy says", c.fix}}
			}
			got, err := w.Leaks(t.Context())
			if diff := cmp.Diff(want, got); diff != "" || (err != nil) != c.fails {
				t.Errorf("%v %s", err, diff)
			}
			w.Workspace.Source.Kind = "git"
			if got, err := w.Leaks(t.Context()); len(got) > 0 || err != nil {
				t.Errorf("a repository's: %v, %v", got, err)
			}
		})
	}
}

func TestASecretsFileIsFoundByEachOfItsNames(t *testing.T) {
	top := lay(t, "app/main.go", "token")
	for _, name := range []string{"app/a", "app/b"} {
		if err := os.Link(filepath.Join(top, "token"), filepath.Join(top, name)); err != nil {
			t.Fatal(err)
		}
	}
	leaks, err := localSource(filepath.Join(top, "app"), false, SecretFile{Secret: "KEY", Path: filepath.Join(top, "token")}).Leaks(t.Context())
	if err != nil || len(leaks) != 2 || !strings.Contains(leaks[0].Text, " as a;") || !strings.Contains(leaks[1].Text, " as b;") {
		t.Errorf("got %+v, %v", leaks, err)
	}
}

func TestASourceIsRefusedForASecretThatTheAgentIsntGiven(t *testing.T) {
	app := lay(t, "mine", "given", "main.go")
	given := SecretFile{"GIVEN", filepath.Join(app, "given"), true}
	var warned []string
	check := func(files ...SecretFile) error {
		w := localSource(app, false, files...)
		w.Fetch.Warn = func(code, text string) { warned = append(warned, code+" "+text) }
		return w.Check(t.Context())
	}
	if err := check(given); err != nil {
		t.Errorf("one that it is given: %v", err)
	}
	if len(warned) != 1 || !strings.HasPrefix(warned[0], "secret_copied secret GIVEN: ") || !strings.Contains(warned[0], "; move it") {
		t.Errorf("warned: %q", warned)
	}
	err := check(given, SecretFile{Secret: "MINE", Path: filepath.Join(app, "mine")})
	if !errors.Is(err, sandbox.Invalid) || !strings.Contains(err.Error(), "secret MINE: ") || !strings.Contains(err.Error(), "move it") || strings.Contains(err.Error(), "GIVEN") {
		t.Errorf("one that it isn't given: %v", err)
	}
	// What else is wrong with the folder is told by who copies it.
	if err := localSource(filepath.Join(app, "none"), false, given).Check(t.Context()); err != nil {
		t.Errorf("a folder that isn't there: %v", err)
	}
}

func TestTheLookForSecretsEndsWithItsContext(t *testing.T) {
	app := lay(t, "token")
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	if err := localSource(app, false, SecretFile{Secret: "KEY", Path: filepath.Join(app, "token")}).Check(ctx); !errors.Is(err, stopped) {
		t.Errorf("got %v", err)
	}
}
