package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/format"
)

type formatFlags struct{ check, diff, recursive bool }

func (a *app) fmtCmd() *cobra.Command {
	var flags formatFlags
	c := &cobra.Command{
		Use:   "fmt [FILE|DIR|-]...",
		Short: "Lay out configuration files",
		Long: "Lay out configuration files in one way. Only whitespace changes, comments stay. Of a folder, by\n" +
			"default the working directory, sandlot.hcl and *.sandlot.hcl are formatted; - is standard input,\n" +
			"whose formatted text is printed. The names of files that were changed are printed.\n\n" +
			"A file with a mistake in it is told of and left alone, and the others are still formatted.\n\n" +
			"Exit codes: 0 ok, 1 a file isn't formatted (--check) or can't be read or written, 2 a mistake in a file.",
		Example: "  sandlot fmt\n  sandlot fmt --check --recursive\n  sandlot fmt --diff agent.hcl | git apply\n  sandlot fmt - <agent.hcl",
		RunE: func(_ *cobra.Command, paths []string) error {
			switch {
			case slices.Contains(paths, ""):
				return usagef("an argument: %w", errEmpty)
			case len(paths) > 0 && a.flags.file != "":
				return usagef("give files and folders as arguments or with -f, not both")
			case len(paths) == 0 && a.flags.file != "":
				paths = []string{a.flags.file}
			case len(paths) == 0:
				paths = []string{"."}
			}
			return a.format(paths, flags)
		},
	}
	c.Flags().BoolVar(&flags.check, "check", false, "write nothing; exit with 1 if a file isn't formatted, and list those")
	c.Flags().BoolVar(&flags.diff, "diff", false, "write nothing; print what would change, as a unified diff")
	c.Flags().BoolVar(&flags.recursive, "recursive", false, "also format what is in subfolders")
	return c
}

// format does all files, whatever becomes of one, and ends with the worst.
func (a *app) format(paths []string, flags formatFlags) error {
	var found []string
	code := exitOK
	worse := func(err error) {
		if e, ok := errors.AsType[*exitErr](err); !ok || !e.quiet {
			a.report(err)
		}
		code = max(code, codeOf(err))
	}
	for _, path := range paths {
		if path == "-" {
			found = append(found, path)
			continue
		}
		files, err := format.Find(a.absolute(path), flags.recursive)
		if err != nil {
			worse(err)
			continue
		}
		if len(files) == 0 {
			worse(usagef("%s has no sandlot.hcl and no *.sandlot.hcl; name a file, or take subfolders in with --recursive", path))
		}
		found = append(found, files...)
	}
	if a.flags.json {
		if err := a.begin(); err != nil {
			return err
		}
	}
	for _, path := range found {
		if err := a.formatOne(path, flags); err != nil {
			worse(err)
		}
	}
	if code != exitOK {
		return said(code)
	}
	return nil
}

func (a *app) formatOne(path string, flags formatFlags) error {
	stdin := path == "-"
	var f format.Formatted
	var err error
	name := a.shown(path)
	if stdin {
		var src []byte
		name = "<stdin>"
		// One byte more than a file may have, so that a longer one is refused.
		if src, err = io.ReadAll(io.LimitReader(a.world.Stdin, config.MaxSource+1)); err == nil {
			f, err = format.Source(src, name)
		}
	} else {
		f, err = format.File(path, name)
	}
	if err != nil {
		return err
	}
	if f.Diagnostics.HasErrors() {
		return a.diagnoseFiles(map[string]*hcl.File{name: f.Source}, f.Diagnostics)
	}
	writes := !flags.check && !flags.diff
	if f.Changed() && writes && !stdin {
		if err := f.Replace(path); err != nil {
			return err
		}
	}
	if err := a.formatted(name, stdin, f, flags); err != nil {
		return err
	}
	if f.Changed() && flags.check {
		return said(exitError)
	}
	return nil
}

type formatLine struct {
	Type    string `json:"type"` // "format"
	File    string `json:"file"`
	Changed bool   `json:"changed"` // with --check and --diff: it would be
	Diff    string `json:"diff,omitempty"`
	Text    string `json:"text,omitempty"` // of standard input
}

// formatted prints what became of one file.
func (a *app) formatted(name string, stdin bool, f format.Formatted, flags formatFlags) error {
	var diff []byte
	if flags.diff {
		diff = f.Diff(name)
	}
	prints := stdin && !flags.check && !flags.diff
	if a.flags.json {
		l := formatLine{Type: "format", File: name, Changed: f.Changed(), Diff: string(diff)}
		if prints {
			l.Text = string(f.After)
		}
		return a.line(l)
	}
	var err error
	switch {
	case prints:
		_, err = a.world.Stdout.Write(f.After)
	case flags.diff:
		_, err = a.world.Stdout.Write(diff)
	case f.Changed():
		_, err = fmt.Fprintln(a.world.Stdout, printable(name))
	}
	if err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// shown is a path as people write it: relative to the working directory if it is
// inside.
func (a *app) shown(path string) string {
	if rel, err := filepath.Rel(a.world.Dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
