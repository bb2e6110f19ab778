package config

import (
	"path/filepath"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Outline is what the blocks of a project are called, for those who want no more,
// such as a shell that completes a word. Nothing in it is checked.
type Outline struct {
	Folder    string // as in Project
	Sandboxes []string
	Harnesses []string // "type.name"
	Policies  []string
	Variables []string
}

// ReadOutline reads the headers of a project's blocks. It asks no plugin and
// evaluates nothing; a file that it can't read is left out.
func ReadOutline(path, dir string) Outline {
	src, diag := findSources(Options{Path: path, Dir: dir})
	if diag != nil {
		return Outline{}
	}
	out := Outline{Folder: src.folder}
	if real, err := filepath.EvalSymlinks(src.folder); err == nil {
		out.Folder = real
	}
	l := &loader{opts: Options{Dir: dir}, files: map[string]*hcl.File{}}
	for _, file := range src.bodies {
		body, _ := l.parse(file)
		if body == nil {
			continue
		}
		for _, b := range body.Blocks {
			out.add(b)
		}
	}
	slices.Sort(out.Sandboxes)
	slices.Sort(out.Harnesses)
	slices.Sort(out.Policies)
	slices.Sort(out.Variables)
	return out
}

func (o *Outline) add(b *hclsyntax.Block) {
	if slices.ContainsFunc(b.Labels, func(label string) bool { return !hclsyntax.ValidIdentifier(label) }) {
		return
	}
	switch {
	case b.Type == "sandbox" && len(b.Labels) == 1:
		o.Sandboxes = append(o.Sandboxes, b.Labels[0])
	case b.Type == "policy" && len(b.Labels) == 1:
		o.Policies = append(o.Policies, b.Labels[0])
	case b.Type == "variable" && len(b.Labels) == 1:
		o.Variables = append(o.Variables, b.Labels[0])
	case b.Type == "harness" && len(b.Labels) == 2:
		o.Harnesses = append(o.Harnesses, b.Labels[0]+"."+b.Labels[1])
	}
}
