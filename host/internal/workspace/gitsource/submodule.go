package gitsource

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

const (
	maxModules = 100     // submodules of a source, at all levels
	maxLevels  = 5       // of submodules in submodules
	maxList    = 1 << 20 // bytes of a .gitmodules file
)

// submodule is a repository in another one's work tree.
type submodule struct {
	path string
	tree *Tree
}

// submodules fetches those of a tree. What .gitmodules says of commands and ways to
// update isn't read: nothing but names, paths and URLs is.
func (j *job) submodules(ctx context.Context, t *Tree, parent Remote, level int) error {
	if len(t.modules) == 0 {
		return nil
	}
	if level >= maxLevels {
		return sandbox.Errorf(sandbox.Invalid, "fetch submodules of %s: they are nested deeper than %d levels", parent.URL, maxLevels)
	}
	modules, err := t.listed(ctx)
	if err != nil {
		return err
	}
	for _, m := range t.modules {
		said, ok := modules[m.path]
		if !ok {
			j.warn("source_submodule", "%s has a submodule at %s and no URL for it in .gitmodules; its folder is empty.", parent.URL, shown(m.path))
			continue
		}
		address, err := moduleURL(parent.URL, said.url)
		if err != nil {
			return fmt.Errorf("fetch submodule %s of %s: %w", shown(m.path), parent.URL, err)
		}
		if j.modules++; j.modules > maxModules {
			return sandbox.Errorf(sandbox.Invalid, "fetch submodules of %s: there are more than %d", parent.URL, maxModules)
		}
		j.tell("submodule %s", shown(m.path))
		tree, err := j.fetch(ctx, Remote{URL: address, Ref: m.object, Depth: parent.Depth, Submodules: true}, level+1)
		if err != nil {
			return fmt.Errorf("fetch submodule %s of %s: %w", shown(m.path), parent.URL, err)
		}
		t.below = append(t.below, submodule{m.path, tree})
		if err := t.activate(said.name, address); err != nil {
			return err
		}
		t.Files, t.Bytes = t.Files+tree.Files, t.Bytes+tree.Bytes
	}
	return nil
}

// activate tells git of a submodule what `git submodule init` would.
func (t *Tree) activate(name, address string) error {
	f, err := os.OpenFile(filepath.Join(t.dir, "config"), os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "[submodule %s]\n\tactive = true\n\turl = %s\n", configValue(name), configValue(address))
	return errors.Join(err, f.Close())
}

// listing is what .gitmodules says of a submodule.
type listing struct{ name, url string }

// listed are the submodules in .gitmodules, by path.
func (t *Tree) listed(ctx context.Context) (map[string]listing, error) {
	j := t.job
	text, err := j.git.output(ctx, j.local(t.dir, "ls-tree", "-z", "-l", "--full-tree", t.Commit, "--", ".gitmodules"))
	if err != nil {
		return nil, ours(err)
	}
	line, _, ok := strings.Cut(text, "\x00")
	if !ok {
		return nil, nil
	}
	e, err := parseEntry(line)
	if err != nil {
		return nil, err
	}
	if e.kind != "blob" || e.mode == "120000" || e.size > maxList {
		return nil, refuse(e.path, "it isn't a file of at most %d bytes", maxList)
	}
	// --no-includes: it may name files of this machine.
	out, err := j.git.output(ctx, j.local(t.dir, "config", "--blob="+e.object, "--no-includes", "--null", "--get-regexp", `^submodule\..*\.(path|url)$`))
	if err != nil {
		return nil, fmt.Errorf("read .gitmodules: %w", err)
	}
	paths, urls := map[string]string{}, map[string]string{}
	for setting := range strings.SplitSeq(out, "\x00") {
		key, value, _ := strings.Cut(setting, "\n")
		name := strings.TrimPrefix(key, "submodule.")
		if n, ok := strings.CutSuffix(name, ".path"); ok {
			paths[n] = value
		} else if n, ok := strings.CutSuffix(name, ".url"); ok {
			urls[n] = value
		}
	}
	byPath := map[string]listing{}
	for name, p := range paths {
		if u, ok := urls[name]; ok && !badChars.MatchString(name) {
			byPath[p] = listing{name, u}
		}
	}
	return byPath, nil
}

var (
	scpForm  = regexp.MustCompile(`^([A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9][A-Za-z0-9.-]+:[^-:].*$`)
	badChars = regexp.MustCompile(`[\x00-\x1f\x7f]`)
)

// moduleURL is where a submodule is fetched from. A repository may name any host,
// but no folder of this machine, no program and no option.
func moduleURL(parent, given string) (string, error) {
	wrong := func(why string) (string, error) {
		return "", &sandbox.Error{
			Class: sandbox.Invalid, Message: "its URL in .gitmodules is " + shown(given) + ", " + why,
			Hint: "see who wrote that; without submodules = true none is fetched",
		}
	}
	if badChars.MatchString(given) || strings.Contains(given, " ") || strings.HasPrefix(given, "-") || strings.Contains(given, "::") {
		return wrong("which git would take for an option or a program")
	}
	if strings.HasPrefix(given, "./") || strings.HasPrefix(given, "../") {
		return relativeURL(parent, given)
	}
	if !strings.Contains(given, "://") {
		if scpForm.MatchString(given) {
			return given, nil
		}
		return wrong("which is a path of this machine")
	}
	u, err := url.Parse(given)
	switch {
	case err != nil:
		return wrong("which isn't one")
	case u.User != nil && u.Scheme != "ssh":
		return wrong("which holds credentials")
	case strings.HasPrefix(u.Host, "-"), strings.HasPrefix(u.Path, "/-"), strings.HasPrefix(u.User.Username(), "-"):
		return wrong("which git would take for an option or a program")
	}
	switch u.Scheme {
	case "https", "http", "ssh", "git":
		if u.Host != "" {
			return given, nil
		}
	case "file":
		if schemeOf(parent) == "file" {
			return given, nil
		}
		return wrong("which is a path of this machine")
	}
	return wrong("whose scheme sandlot doesn't fetch from")
}

// relativeURL is a URL from where the parent's is.
func relativeURL(parent, given string) (string, error) {
	head, rest, sep := "", parent, ""
	if before, after, ok := strings.Cut(parent, "://"); ok {
		host, p, _ := strings.Cut(after, "/")
		head, rest, sep = before+"://"+host, p, "/"
	} else if before, after, ok := strings.Cut(parent, ":"); ok {
		head, rest, sep = before, after, ":"
	}
	// A path that goes up past the host's top would get another host's.
	joined := path.Join("/", rest)
	up := 0
	for step := range strings.SplitSeq(given, "/") {
		if step == ".." {
			up++
		}
	}
	if up > strings.Count(joined, "/") {
		return "", sandbox.Errorf(sandbox.Invalid, "its URL in .gitmodules is %s, which leads out of %s", shown(given), head)
	}
	joined = strings.TrimPrefix(path.Join(joined, given), "/")
	if joined == "" || strings.HasPrefix(joined, "-") {
		return "", sandbox.Errorf(sandbox.Invalid, "its URL in .gitmodules is %s, which names no repository", shown(given))
	}
	return head + sep + joined, nil
}
