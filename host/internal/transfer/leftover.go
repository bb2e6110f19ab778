package transfer

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// unfinished begins the names of what isn't whole yet; the mark of who makes it
// and some letters follow.
const unfinished = ".sandlot-cp-"

func temporary(mark string) string { return unfinished + mark + "-" + rand.Text() }

// stale is how old something unfinished must be whose process nobody can look for:
// it was of another machine, or another boot of this one.
const stale = 24 * time.Hour

// sweep removes from a folder of the sandbox what copies have left there that were
// killed. What can't be removed is in nobody's way.
func (t BoxTarget) sweep(ctx context.Context, folder string, job *Job) error {
	if job.Gone == nil {
		return nil
	}
	list, err := t.Files.List(ctx, folder)
	if err != nil {
		return fmt.Errorf("look through %q in sandbox %s: %w", folder, t.Name, err)
	}
	for _, entry := range list {
		rest, ours := strings.CutPrefix(entry.Name, unfinished)
		mark, _, marked := strings.Cut(rest, "-")
		if ours && marked && entry.Kind == sandbox.KindDir && (job.Gone(mark) || time.Since(entry.ModTime) > stale) {
			_ = t.Files.Remove(ctx, under(folder, entry.Name))
		}
	}
	return nil
}
