package workspace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

const (
	// stall is how long a copy may stand still before it is given up. What bounds
	// it is the lack of progress, never its size.
	stall = 2 * time.Minute
	// tellEvery is how often progress is told.
	tellEvery = time.Second
)

// source brings the source into the sandbox's root.
func source(ctx context.Context, sb sandbox.Sandbox, files sandbox.Files, w What, tell func(Phase)) error {
	if w.Workspace.Source.Kind == "git" {
		return repository(ctx, sb, files, w, tell)
	}
	done := Begin(tell, "source", w.Workspace.Source.Path)
	copied := &amount{}
	err := local(ctx, sb, files, w, copied, tell)
	if err != nil {
		err = fmt.Errorf("copy source %s: %w", quoted(w.Workspace.Source.Path), err)
	}
	done(copied.String()+" of "+quoted(w.Workspace.Source.Path), err)
	return err
}

func local(ctx context.Context, sb sandbox.Sandbox, files sandbox.Files, w What, copied *amount, tell func(Phase)) error {
	info := sb.Info()
	t, err := openTree(ctx, info, w)
	if err != nil {
		return err
	}
	defer t.top.Close()
	if err := claimEmpty(ctx, sb, files); err != nil {
		return err
	}
	total, err := t.count()
	if err != nil {
		return err
	}
	ctx, stop := watched(ctx, copied, total, tell)
	defer stop()
	t.ctx = ctx
	return push(ctx, files, info.Root, func(out io.Writer) error { return t.pack(out, copied) })
}

// push sends what pack writes into a folder of the sandbox.
func push(ctx context.Context, files sandbox.Files, root string, pack func(io.Writer) error) error {
	r, w := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		out := bufio.NewWriterSize(w, 256<<10)
		err := pack(out)
		if err == nil {
			err = out.Flush()
		}
		w.CloseWithError(err)
		packed <- err
	}()
	err := files.Push(ctx, root, r)
	r.CloseWithError(errUnread)
	switch perr := <-packed; {
	case perr != nil && !errors.Is(perr, errUnread): // else it is the sandbox that took no more
		err = perr
	case err == nil && perr != nil:
		err = sandbox.Errorf(sandbox.Internal, "the provider took only a part of the source and reported no error")
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

var errUnread = errors.New("the sandbox reads no further")

// openTree opens the folder, and sees to it that it isn't copied into itself.
func openTree(ctx context.Context, info sandbox.Info, w What) (*tree, error) {
	path := w.Workspace.Source.Path
	top, err := os.OpenRoot(path)
	if err != nil {
		return nil, sandbox.Errorf(sandbox.NotFound, "open it: %w", err)
	}
	t := &tree{ctx: ctx, path: path, top: top, ignore: w.Workspace.Source.Gitignore}
	for _, folder := range w.Skip {
		if rel, ok := within(path, folder); ok {
			t.skip = append(t.skip, rel)
		}
	}
	if info.Isolation == sandbox.IsolationNone { // its paths are those of the host
		if rel, ok := within(path, info.Root); ok && !t.skips(rel) {
			_ = top.Close()
			return nil, sandbox.Errorf(sandbox.Invalid,
				"the sandbox works in %s, which is a part of it, so that it would be copied into itself: leave out either the source or the provider's own folder",
				quoted(info.Root))
		}
	}
	return t, nil
}

// skips reports whether rel is, or lies in, what is left out.
func (t *tree) skips(rel string) bool {
	for _, s := range t.skip {
		if rel == s || strings.HasPrefix(rel, s+"/") {
			return true
		}
	}
	return false
}

// within is the path of folder relative to top, with slashes, if it lies in it.
func within(top, folder string) (string, bool) {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	rel, err := filepath.Rel(top, folder)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// claimEmpty makes sure that the root holds nothing, and notes that what comes
// into it is ours, so that it can be undone.
func claimEmpty(ctx context.Context, sb sandbox.Sandbox, files sandbox.Files) error {
	info := sb.Info()
	entries, err := files.List(ctx, info.Root)
	if err != nil && !errors.Is(err, sandbox.NotFound) {
		return fmt.Errorf("look into the sandbox's folder: %w", err)
	}
	if len(entries) > 0 {
		return &sandbox.Error{
			Class:   sandbox.Conflict,
			Message: fmt.Sprintf("the sandbox's folder %s isn't empty: it holds %s", quoted(info.Root), some(entries)),
			Hint:    "a source is copied into an empty folder only; leave out the source to work with what is there, or let the provider make a folder of its own",
		}
	}
	if err := files.Write(ctx, mark(sb), strings.NewReader(""), sandbox.WriteOptions{Mode: 0o600}); err != nil {
		return fmt.Errorf("note what is about to be copied: %w", err)
	}
	return nil
}

func some(entries []sandbox.FileInfo) string {
	const most = 3
	var names []string
	for _, e := range entries[:min(most, len(entries))] {
		names = append(names, quoted(e.Name))
	}
	if more := len(entries) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
