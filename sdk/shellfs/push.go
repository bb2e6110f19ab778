package shellfs

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Push looks through the stream, hands it to tar in a new folder, and moves what
// is there into place.
func (f files) Push(ctx context.Context, p string, r io.Reader) error {
	what := "push into " + quoted(p)
	e, err := f.entry(p)
	if err != nil {
		return prefix(what, err)
	}
	temp, end := tempName(), tempName()
	in, out := io.Pipe()
	var bad error
	filtered := make(chan struct{})
	go func() {
		bad = filter(out, r, end)
		close(filtered)
		_ = out.Close() // without its last member, the script takes it for cut off
	}()
	_, err = f.run(ctx, call{what: what, script: pushScript, stdin: in, args: []string{e.folder, e.name, temp, end}})
	_ = in.Close() // nobody reads any more
	if err == nil {
		return nil
	}
	folder := e.folder
	if e.name != "." {
		folder += "/" + e.name
	}
	f.clean(ctx, folder, temp)
	select {
	case <-filtered:
		if bad != nil && ctx.Err() == nil && !errors.Is(bad, io.ErrClosedPipe) {
			return fmt.Errorf("%s: %w", what, bad)
		}
	default: // the script failed by itself, while r may wait for more
	}
	return err
}
