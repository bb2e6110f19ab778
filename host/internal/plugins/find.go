package plugins

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/agext/levenshtein"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Candidate is a file with the name of a plugin.
type Candidate struct {
	Kind    Kind
	Type    string // e.g. "docker"
	Path    string // absolute
	Refused string // why it isn't run, e.g. "others may write the file"; empty: it may be
	Fix     string // a command that would make it acceptable; may be empty
	Hidden  bool   // one in an earlier folder is used instead
}

var binaryName = regexp.MustCompile(`^sandlot-(provider|harness)-([a-z][a-z0-9-]*)$`)

// Candidates lists every file that has the name of a plugin, also those that
// are refused or hidden, in the order of the search.
func (p *Plugins) Candidates() []Candidate {
	var list []Candidate
	taken := map[string]bool{}
	for _, dir := range p.Folders() {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // most of the folders aren't there
		}
		for _, e := range entries {
			name := e.Name()
			if runtime.GOOS == "windows" {
				name = strings.TrimSuffix(strings.ToLower(name), ".exe")
			}
			m := binaryName.FindStringSubmatch(name)
			if m == nil {
				continue
			}
			c := Candidate{Kind: Kind(m[1]), Type: m[2], Path: filepath.Join(dir, e.Name()), Hidden: taken[name]}
			c.Refused, c.Fix = refuse(c.Path)
			if c.Refused == "" {
				taken[name] = true
			}
			list = append(list, c)
		}
	}
	return list
}

// Find returns the plugin that is used for a type. The error says where it was
// looked for, which files were refused and why, and what may have been meant.
func (p *Plugins) Find(kind Kind, typ string) (Candidate, error) {
	all := p.Candidates()
	var refused *Candidate
	for _, c := range all {
		if c.Kind != kind || c.Type != typ {
			continue
		}
		if c.Refused == "" {
			return c, nil
		}
		if refused == nil {
			refused = &c
		}
		if p.asked(c) { // the folder was named for this one: no other will do
			break
		}
	}
	if refused != nil {
		return Candidate{}, &sandbox.Error{
			Class:   sandbox.Denied,
			Message: fmt.Sprintf("find %s %q: %s is not run: %s", kind, typ, refused.Path, refused.Refused),
			Hint:    refused.Fix,
		}
	}
	return Candidate{}, &sandbox.Error{
		Class: sandbox.NotFound,
		Message: fmt.Sprintf("find %s %q: there is no %s in %s",
			kind, typ, plugin.Binary(kind, typ), strings.Join(p.Folders(), ", ")),
		Hint: p.meant(all, kind, typ),
	}
}

// asked reports whether a candidate is in a folder that was named explicitly.
func (p *Plugins) asked(c Candidate) bool {
	return slices.ContainsFunc(p.opts.Dirs, func(dir string) bool {
		abs, err := filepath.Abs(dir)
		return err == nil && abs == filepath.Dir(c.Path)
	})
}

// meant guesses at a slip of the fingers, or lists what there is.
func (p *Plugins) meant(all []Candidate, kind Kind, typ string) string {
	best, distance := "", 3
	var there []string
	for _, c := range all {
		if c.Refused != "" || c.Hidden {
			continue
		}
		if c.Type == typ { // then it is of the other kind
			return fmt.Sprintf("%q is a %s", typ, c.Kind)
		}
		if c.Kind != kind {
			continue
		}
		there = append(there, c.Type)
		if d := levenshtein.Distance(typ, c.Type, nil); d < distance {
			best, distance = c.Type, d
		}
	}
	switch {
	case best != "":
		return fmt.Sprintf("did you mean %q?", best)
	case len(there) > 0:
		return "there are: " + strings.Join(there, ", ")
	case len(p.Folders()) == 0:
		return "no folder is searched: give one with --plugin-dir"
	}
	return ""
}
