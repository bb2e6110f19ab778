package gitsource

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func depthArg(depth int) string { return "--depth=" + strconv.Itoa(depth) }

// deepEnough reports whether a mirror that was fetched to a depth holds that much
// of a commit's history. A later fetch may have cut it: git keeps one set of ends
// for all.
func (j *job) deepEnough(ctx context.Context, dir, object string, depth int) (bool, error) {
	if _, err := j.git.output(ctx, j.local(dir, "rev-parse", "--verify", "--quiet", "refs/sandlot/"+object)); err != nil {
		return false, ctx.Err()
	}
	text, err := os.ReadFile(filepath.Join(dir, "shallow"))
	if err != nil {
		return os.IsNotExist(err), nil //nolint:nilerr // all of a short history is there; what can't be read is fetched
	}
	ends := map[string]bool{}
	for _, commit := range strings.Fields(string(text)) {
		ends[commit] = true
	}
	if depth == 1 {
		return true, nil
	}
	out, err := j.git.output(ctx, j.local(dir, "rev-list", "--parents", object))
	if err != nil {
		return false, ctx.Err()
	}
	parents := map[string][]string{}
	first := ""
	for line := range strings.Lines(out) {
		if all := strings.Fields(line); len(all) > 0 {
			parents[all[0]] = all[1:]
			if first == "" {
				first = all[0]
			}
		}
	}
	seen, level := map[string]bool{first: true}, []string{first}
	for range depth - 1 {
		var next []string
		for _, commit := range level {
			if ends[commit] {
				return false, nil
			}
			for _, p := range parents[commit] {
				if !seen[p] {
					seen[p] = true
					next = append(next, p)
				}
			}
		}
		level = next
	}
	return true, nil
}
