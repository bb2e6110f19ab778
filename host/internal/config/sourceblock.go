package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// sourceBody is the body of a source block, whatever its kind.
type sourceBody struct {
	Kind       string         `hcl:"kind,label"`
	Path       string         `hcl:"path,optional" doc:"Folder to copy, relative to the file; for local." example:"\".\""`
	Gitignore  bool           `hcl:"gitignore" default:"false" doc:"Leave out what .gitignore files say; for local."`
	URL        string         `hcl:"url,optional" doc:"Repository to fetch; for git." example:"\"https://github.com/owner/app.git\""`
	Repo       string         `hcl:"repo,optional" doc:"Repository to fetch, as owner/name; for github." example:"\"owner/app\""`
	Host       string         `hcl:"host" default:"github.com" doc:"Host of the repository; for github."`
	Ref        string         `hcl:"ref,optional" doc:"Branch, tag or commit; the default branch if left out; for git and github." example:"\"main\""`
	Depth      string         `hcl:"depth" default:"1" doc:"How many commits of history to fetch, or \"full\"; for git and github."`
	Token      *schema.Secret `hcl:"token" doc:"Secret that opens a private repository over https; for git and github." example:"secret.GH"`
	Submodules bool           `hcl:"submodules" default:"false" doc:"Fetch submodules too; for git and github."`
}

// sourceTakes are the arguments of each kind of source, the required one first.
func sourceTakes() map[string][]string {
	return map[string][]string{
		"none":   {},
		"local":  {"path", "gitignore"},
		"git":    {"url", "ref", "depth", "token", "submodules"},
		"github": {"repo", "host", "ref", "depth", "token", "submodules"},
	}
}

// refuseSource refuses a source by its label, before its body.
func refuseSource(path string, b *hcl.Block) *hcl.Diagnostic {
	if path != "source" {
		return nil
	}
	kinds := []string{"none", "git", "github", "local"}
	if kind := b.Labels[0]; !slices.Contains(kinds, kind) {
		return problem(&b.LabelRanges[0], "Unknown source", "A source is one of %s; this is %q.%s", quoted(kinds), kind, didYouMean(kind, kinds))
	}
	return nil
}

// source checks a decoded source block. One of kind none is as none at all.
func (l *loader) source(out *decoded) (Source, hcl.Diagnostics) {
	body, _ := out.tree["source"].(map[string]any)
	kind, _ := body["kind"].(string)
	takes, known := sourceTakes()[kind]
	if !known {
		return Source{}, nil
	}
	diags := misplaced(kind, takes, out)
	if kind == "none" {
		return Source{}, diags
	}
	need := takes[0]
	if _, given := out.ranges["source."+need]; !given {
		at := out.ranges.at("source")
		example := map[string]string{"path": ".", "url": "https://github.com/owner/app.git", "repo": "owner/app"}[need]
		return Source{}, append(diags, problem(&at, "Missing argument", "%q is required here, such as %s = %q.", need, need, example))
	}
	if _, told := body[need].(string); !told { // it has its own diagnostic
		return Source{}, diags
	}
	read := l.localSource
	if kind != "local" {
		read = l.gitSource
	}
	src, wrong := read(body, out)
	return src, append(diags, wrong...)
}

// misplaced finds arguments that another kind of source takes.
func misplaced(kind string, takes []string, out *decoded) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, name := range []string{"path", "gitignore", "url", "repo", "host", "ref", "depth", "token", "submodules"} {
		r, given := out.ranges["source."+name]
		if !given || slices.Contains(takes, name) {
			continue
		}
		why := "source \"local\" copies a folder of this machine and takes no %q. To fetch a repository write source \"git\" or source \"github\"."
		switch kind {
		case "none":
			why = "source \"none\" is an empty folder and takes no %q. To copy a folder of this machine write source \"local\", to fetch a repository source \"git\"."
		case "git":
			why = "source \"git\" fetches the repository at \"url\" and takes no %q."
		case "github":
			why = "source \"github\" fetches \"repo\" and takes no %q. To give a whole URL write source \"git\"."
		}
		diags = append(diags, problem(&r, "Unsupported argument", why, name))
	}
	return diags
}

func (l *loader) localSource(body map[string]any, out *decoded) (Source, hcl.Diagnostics) {
	path, _ := body["path"].(string)
	gitignore, _ := body["gitignore"].(bool)
	r := out.ranges["source.path"]
	if path == "" {
		return Source{}, hcl.Diagnostics{problem(&r, "Invalid path", "\"path\" names no folder. For this file's own folder write \".\".")}
	}
	full := absolute(path, l.folder)
	if diag := checkFolder(full, &r); diag != nil {
		return Source{}, hcl.Diagnostics{diag}
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		full = real // one folder, however it is reached
	}
	return Source{Kind: "local", Path: full, Gitignore: gitignore}, nil
}

func checkFolder(path string, at *hcl.Range) *hcl.Diagnostic {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return problem(at, "No such folder", "%s doesn't exist. A relative path starts at the folder of this file.", path)
	case err != nil:
		return problem(at, "Folder can't be read", "%s.", err)
	case !info.IsDir():
		return problem(at, "Not a folder", "%s is a file. A source is a folder, copied whole.", path)
	}
	return nil
}
