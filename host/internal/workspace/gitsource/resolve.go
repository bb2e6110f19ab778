package gitsource

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// place is what a ref stands for.
type place struct {
	object string // the object that the ref names: a commit, or an annotated tag
	branch string // short name; empty: the work tree is on no branch
	tag    string // short name; empty: none
}

// advert is what a repository says that it has.
type advert struct {
	head  string            // the branch that HEAD stands for, as refs/heads/...
	order []string          // full names as told
	refs  map[string]string // objects by full name
}

// resolve asks what a ref stands for. A whole commit needs no asking.
func (j *job) resolve(ctx context.Context, r remote, ref string) (place, error) {
	if commitForm.MatchString(strings.ToLower(ref)) {
		return place{object: strings.ToLower(ref)}, nil
	}
	j.tell("asking %s", r.url)
	args := []string{"ls-remote", "--symref"}
	switch {
	case ref == "":
		args = append(args, "--", r.url, "HEAD")
	case strings.HasPrefix(ref, "refs/"):
		args = append(args, "--", r.url, ref)
	default:
		args = append(args, "--heads", "--tags", "--", r.url)
	}
	text, err := j.git.output(ctx, j.network(r, "", args...))
	if err != nil {
		return place{}, j.explain(r, err)
	}
	ad := parseAdvert(text)
	at, ok := ad.find(ref)
	switch {
	case !ok && ref == "":
		return place{}, j.noDefault(ctx, r)
	case !ok:
		return place{}, missing(r.url, ref, ad)
	}
	if _, tag := ad.refs["refs/tags/"+ref]; tag && at.branch == ref && ref != "" {
		j.warn("source_ref", "%s has both a branch and a tag %q; the branch is taken. For the tag write ref = %q.", r.url, ref, "refs/tags/"+ref)
	}
	return at, nil
}

func parseAdvert(text string) advert {
	ad := advert{refs: map[string]string{}}
	for line := range strings.Lines(text) {
		object, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case !ok:
		case name == "HEAD" && strings.HasPrefix(object, "ref: "):
			ad.head = strings.TrimPrefix(object, "ref: ")
		case commitForm.MatchString(object):
			if _, there := ad.refs[name]; !there {
				ad.order = append(ad.order, name)
			}
			ad.refs[name] = object
		}
	}
	return ad
}

// find looks a ref up: a branch before a tag, as git clone does.
func (ad advert) find(ref string) (place, bool) {
	if ref == "" {
		object, ok := ad.refs["HEAD"]
		branch, _ := strings.CutPrefix(ad.head, "refs/heads/")
		if branch == ad.head || !cleanName.MatchString(branch) {
			branch = ""
		}
		return place{object: object, branch: branch}, ok
	}
	for _, full := range []string{ref, "refs/heads/" + ref, "refs/tags/" + ref} {
		object, ok := ad.refs[full]
		if !ok || !strings.HasPrefix(full, "refs/") {
			continue
		}
		at := place{object: object}
		if name, ok := strings.CutPrefix(full, "refs/heads/"); ok {
			at.branch = name
		} else if name, ok := strings.CutPrefix(full, "refs/tags/"); ok {
			at.tag = name
		}
		return at, true
	}
	return place{}, false
}

// cleanName is a branch that a server may name without our looking further: git
// itself refuses what is wrong in another way.
var cleanName = regexp.MustCompile(`^[^-\x00-\x20\x7f~^:?*\[\\][^\x00-\x20\x7f~^:?*\[\\]*$`)

// noDefault says why a repository has nothing to check out.
func (j *job) noDefault(ctx context.Context, r remote) error {
	text, err := j.git.output(ctx, j.network(r, "", "ls-remote", "--heads", "--tags", "--", r.url))
	if err != nil {
		return j.explain(r, err)
	}
	names := parseAdvert(text).names()
	if len(names) == 0 {
		return empty(r.url)
	}
	return &sandbox.Error{
		Class: sandbox.NotFound, Message: "fetch " + r.url + ": its default branch doesn't exist",
		Hint: "say which one with ref; it has " + some(names),
	}
}

func empty(url string) error {
	return &sandbox.Error{
		Class: sandbox.NotFound, Message: "fetch " + url + ": the repository is empty: it has no branch and no tag",
		Hint: "push a first commit to it, or write source \"none\" for an empty folder",
	}
}

// missing says that there is no such ref, and which may be meant.
func missing(url, ref string, ad advert) error {
	names := ad.names()
	if len(names) == 0 && !strings.HasPrefix(ref, "refs/") {
		return empty(url)
	}
	e := &sandbox.Error{Class: sandbox.NotFound, Message: "fetch " + url + ": it has no branch and no tag " + quoted(ref)}
	switch near := nearest(ref, names); {
	case shortCommit.MatchString(ref):
		e.Hint = "if it is a commit, write all of its 40 digits"
	case near != "":
		e.Hint = "did you mean " + quoted(near) + "?"
	case len(names) > 0:
		e.Hint = "it has " + some(names)
	}
	return e
}

var shortCommit = regexp.MustCompile(`^[0-9a-fA-F]{7,}$`)

// names are the short names of branches, then tags.
func (ad advert) names() []string {
	var branches, tags []string
	for _, full := range ad.order {
		if name, ok := strings.CutPrefix(full, "refs/heads/"); ok {
			branches = append(branches, name)
		} else if name, ok := strings.CutPrefix(full, "refs/tags/"); ok && !strings.HasSuffix(name, "^{}") {
			tags = append(tags, name)
		}
	}
	return slices.Concat(branches, tags)
}
