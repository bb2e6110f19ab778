package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitsource"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Fetch is what fetching a repository may use of the host.
type Fetch struct {
	Cache  string                           // absolute folder of the copies kept of repositories
	Env    func(name string) (string, bool) // the host's environment; nil: none
	Token  string                           // value of the source's token; empty: none
	Secret string                           // name of the secret that it is
	Warn   func(code, text string)          // takes warnings; nil: not wanted
}

// repository fetches a git source and copies it into the sandbox's root.
func repository(ctx context.Context, sb sandbox.Sandbox, files sandbox.Files, w What, tell func(Phase)) error {
	src := w.Workspace.Source
	done := Begin(tell, "source", src.URL)
	copied := &amount{}
	at, err := fetchAndPush(ctx, sb, files, w, copied, tell)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("bring the source: %w", err)
	}
	done(copied.String()+" of "+src.URL+at, err)
	return err
}

// fetchAndPush also returns where the work tree is, for a person.
func fetchAndPush(ctx context.Context, sb sandbox.Sandbox, files sandbox.Files, w What, copied *amount, tell func(Phase)) (string, error) {
	if err := claimEmpty(ctx, sb, files); err != nil {
		return "", err
	}
	f, from := w.remote()
	f.Warn, f.Tell = w.Fetch.Warn, slowly(tell)
	t, err := f.Fetch(ctx, from)
	if err != nil {
		return "", err
	}
	total := &amount{}
	total.files.Store(t.Files)
	total.bytes.Store(t.Bytes)
	pushing, stop := watched(ctx, copied, total, tell)
	err = push(pushing, files, sb.Info().Root, func(out io.Writer) error {
		return t.Pack(pushing, out, func(files, bytes int64) {
			copied.files.Add(files)
			copied.bytes.Add(bytes)
		})
	})
	stop()
	at := " at " + t.Commit[:12]
	if t.Branch != "" {
		at += " (" + quoted(t.Branch) + ")"
	}
	return at, errors.Join(err, t.Close())
}

// remote is the repository, and what fetches it in silence.
func (w What) remote() (*gitsource.Fetcher, gitsource.Remote) {
	src := w.Workspace.Source
	f := &gitsource.Fetcher{
		Cache: w.Fetch.Cache, Env: w.Fetch.Env, Token: gitsource.Token{Value: w.Fetch.Token, Secret: w.Fetch.Secret},
	}
	if f.Env == nil {
		f.Env = func(string) (string, bool) { return "", false }
	}
	return f, gitsource.Remote{URL: src.URL, Ref: src.Ref, Depth: src.Depth, Submodules: src.Submodules}
}

// slowly tells progress that a person can follow: of percentages no more than one
// each moment.
func slowly(tell func(Phase)) func(detail string) {
	var mu sync.Mutex
	began, last := time.Now(), time.Time{}
	return func(detail string) {
		mu.Lock()
		defer mu.Unlock()
		now, counts := time.Now(), strings.HasSuffix(detail, "%")
		if !counts || now.Sub(last) >= tellEvery {
			if counts {
				last = now
			}
			tell(Phase{Name: "source", State: "progress", Took: now.Sub(began), Detail: detail})
		}
	}
}
