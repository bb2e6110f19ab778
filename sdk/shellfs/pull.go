package shellfs

import (
	"context"
	"io"
)

// Pull is what tar writes. A tree that changes meanwhile is as tar saw it; pipes
// and sockets come without content or not at all. Hard links may come as such.
func (f files) Pull(ctx context.Context, p string, w io.Writer) error {
	what := "pull " + quoted(p)
	e, err := f.entry(p)
	if err != nil {
		return prefix(what, err)
	}
	s, err := f.stream(ctx, call{what: what, script: pullScript, args: []string{e.folder, e.name}})
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = io.Copy(w, s)
	return err
}
