package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
)

// sourceBody is the body of a source block, whatever its kind.
type sourceBody struct {
	Kind      string `hcl:"kind,label"`
	Path      string `hcl:"path,optional" doc:"Folder to copy, relative to the file; for local." example:"\".\""`
	Gitignore bool   `hcl:"gitignore" default:"false" doc:"Leave out what .gitignore files say; for local."`
}

// refuseSource refuses a source by its label, before its body, which this build
// can't read.
func refuseSource(path string, b *hcl.Block) *hcl.Diagnostic {
	if path != "source" {
		return nil
	}
	kinds := []string{"none", "git", "github", "local"}
	switch kind := b.Labels[0]; kind {
	case "none", "local":
		return nil
	case "git", "github":
		return notYet(&b.DefRange, header(b))
	default:
		return problem(&b.LabelRanges[0], "Unknown source", "A source is one of %s; this is %q.%s", quoted(kinds), kind, didYouMean(kind, kinds))
	}
}

// source checks a decoded source block. One of kind none is as none at all.
func (l *loader) source(out *decoded) (Source, hcl.Diagnostics) {
	body, _ := out.tree["source"].(map[string]any)
	kind, _ := body["kind"].(string)
	path, told := body["path"].(string)
	gitignore, _ := body["gitignore"].(bool)
	var diags hcl.Diagnostics
	at := out.ranges.at("source")
	switch _, given := out.ranges["source.path"]; {
	case kind == "none":
		for _, name := range []string{"path", "gitignore"} {
			if r, ok := out.ranges["source."+name]; ok {
				diags = append(diags, problem(&r, "Unsupported argument",
					"source \"none\" is an empty folder and takes no %q. To copy a folder of this machine write source \"local\".", name))
			}
		}
		return Source{}, diags
	case kind != "local":
		return Source{}, nil
	case !given:
		return Source{}, hcl.Diagnostics{problem(&at, "Missing argument", "\"path\" is required here, such as path = \".\".")}
	case !told: // it has its own diagnostic
		return Source{}, nil
	case path == "":
		r := out.ranges["source.path"]
		return Source{}, hcl.Diagnostics{problem(&r, "Invalid path", "\"path\" names no folder. For this file's own folder write \".\".")}
	}
	r := out.ranges["source.path"]
	full := absolute(path, l.folder)
	if diag := checkFolder(full, &r); diag != nil {
		return Source{}, hcl.Diagnostics{diag}
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		full = real // one folder, however it is reached
	}
	return Source{Kind: kind, Path: full, Gitignore: gitignore}, nil
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
