package gitsource

import (
	"context"
	"path/filepath"
)

// maxPacks is how many packs a mirror may have: each fetch adds one, and each makes
// finding an object slower.
const maxPacks = 40

// tidy makes one pack of a mirror's many.
func (j *job) tidy(ctx context.Context, dir string) error {
	packs, err := filepath.Glob(filepath.Join(dir, "objects", "pack", "*.pack"))
	if err != nil || len(packs) <= maxPacks {
		return err
	}
	j.tell("tidying the copy kept of the repository")
	return ours(j.git.run(ctx, j.local(dir, "repack", "-a", "-d", "-q")))
}
