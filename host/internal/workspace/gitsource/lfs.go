package gitsource

import "fmt"

const (
	// pointerStart begins what Git LFS keeps in a repository in place of a file.
	pointerStart = "version https://git-lfs.github.com/spec/v1\n"
	maxPointer   = 1024 // bytes
)

// pointers are files whose content is elsewhere.
type pointers struct {
	count int
	first []string
}

func (p *pointers) note(path string) {
	const shown = 3
	p.count++
	if len(p.first) < shown {
		p.first = append(p.first, path)
	}
}

func (p *pointers) add(more pointers, below string) {
	for _, path := range more.first {
		p.note(below + path)
	}
	p.count += more.count - len(more.first)
}

func (p *pointers) warn(j *job) {
	if p.count == 0 {
		return
	}
	names := ""
	for i, path := range p.first {
		if i > 0 {
			names += ", "
		}
		names += shown(path)
	}
	if more := p.count - len(p.first); more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	what, verb := "files are", "they are"
	if p.count == 1 {
		what, verb = "file is", "it is"
	}
	j.warn("source_lfs", "%d %s kept in Git LFS, and %s pointers in the sandbox: %s. "+
		"sandlot doesn't fetch them; run `git lfs pull` in a setup command, with git-lfs in the sandbox and a token in its env.", p.count, what, verb, names)
}
