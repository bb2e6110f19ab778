package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// SecretFile is a file of the host that holds a secret.
type SecretFile struct {
	Secret string // name of the secret
	Path   string // absolute; links are followed
	Given  bool   // the agent is given the value anyway
}

// Leak is a file with a secret that a source brings into the sandbox, where every
// agent can read it, whatever its policy says.
type Leak struct {
	SecretFile

	Text string // which secret, which file, which source
	Fix  string // what to do about it
}

// Leaks finds the secrets' files that a local source would bring along: by what they
// are, not by their names, so that a link or another name of the file counts too.
// Each name under which one would be copied is a leak. Other sources have none.
// Beside an error there are those that were found before.
func (w What) Leaks(ctx context.Context) ([]Leak, error) {
	src := w.Workspace.Source
	wanted := w.secretFiles()
	if src.Kind != "local" || len(wanted) == 0 {
		return nil, nil
	}
	t, err := openTree(ctx, sandbox.Info{}, w)
	if err != nil {
		return nil, err
	}
	defer t.top.Close()
	var all []Leak
	err = t.walk(func(e entry) error {
		if !e.info.Mode().IsRegular() {
			return nil
		}
		for _, file := range wanted {
			if os.SameFile(file.info, e.info) {
				all = append(all, t.leak(file.SecretFile, e.path))
			}
		}
		return nil
	})
	return all, err
}

// Check refuses a source that would give the agent a secret that isn't meant
// for it, and warns of one that brings a secret's file beside its value.
func (w What) Check(ctx context.Context) error {
	leaks, err := w.Leaks(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	var all []error // what else is wrong with the source is told by who copies it
	for _, l := range leaks {
		switch {
		case !l.Given:
			all = append(all, &sandbox.Error{Class: sandbox.Invalid, Message: l.Text, Hint: l.Fix})
		case w.Fetch.Warn != nil:
			w.Fetch.Warn("secret_copied", l.Text+"; "+l.Fix)
		}
	}
	return errors.Join(all...)
}

type foundFile struct {
	SecretFile

	info fs.FileInfo
}

// secretFiles are those that are there.
func (w What) secretFiles() []foundFile {
	var all []foundFile
	for _, file := range w.Secrets {
		if info, err := os.Stat(file.Path); err == nil && info.Mode().IsRegular() {
			all = append(all, foundFile{file, info})
		}
	}
	return all
}

func (t *tree) leak(file SecretFile, path string) Leak {
	l := Leak{SecretFile: file}
	l.Text = fmt.Sprintf("secret %s: source \"local\" copies its file %s into the sandbox, since it lies in the folder %s",
		file.Secret, quoted(file.Path), quoted(t.path))
	if here := t.shown(path); here != quoted(filepath.Clean(file.Path)) {
		l.Text += " as " + quoted(path)
	}
	l.Text += "; the agent can read it there, whatever its policy says"
	l.Fix = "move it out of that folder"
	switch {
	case strings.Contains("/"+path, "/.git/"): // it is copied whatever is ignored
	case t.ignore:
		l.Fix += ", or name it in a .gitignore file there"
	default:
		l.Fix += ", or name it in a .gitignore file there and set gitignore = true"
	}
	return l
}
