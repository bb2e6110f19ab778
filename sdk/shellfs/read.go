package shellfs

import (
	"bufio"
	"context"
	"io"
	"strconv"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Read opens a file by a script that keeps it open and prints it.
func (f files) Read(ctx context.Context, p string, opts sandbox.ReadOptions) (io.ReadCloser, error) {
	what := "read file " + quoted(p)
	if opts.Offset < 0 || opts.Limit < 0 {
		return nil, sandbox.Errorf(sandbox.Invalid, "%s: negative offset or limit", what)
	}
	e, err := f.entry(p)
	if err != nil {
		return nil, prefix(what, err)
	}
	follow := ""
	if opts.Follow {
		follow = "follow"
	}
	s, err := f.stream(ctx, call{what: what, script: readScript, args: []string{
		e.folder, e.name, strconv.FormatInt(opts.Offset, 10), strconv.FormatInt(opts.Limit, 10), follow,
	}})
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(s, 64<<10)
	if err := opened(what, in); err != nil {
		_ = s.Close()
		return nil, err
	}
	var content io.Reader = in
	if opts.Limit > 0 {
		content = io.LimitReader(in, opts.Limit)
	}
	return reader{content, s}, nil
}

// opened takes the line that says that the file is open.
func opened(what string, in *bufio.Reader) error {
	var line [3]byte
	switch _, err := io.ReadFull(in, line[:]); {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return sandbox.Errorf(sandbox.Unavailable, "%s: the answer was cut off", what)
	case err != nil:
		return err // the script's own
	case string(line[:]) != "ok\n":
		return sandbox.Errorf(sandbox.Internal, "%s: the sandbox's shell answers %q", what, line)
	}
	return nil
}

type reader struct {
	io.Reader
	io.Closer
}
