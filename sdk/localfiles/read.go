package localfiles

import (
	"context"
	"io"
	"os"
	"syscall"

	"github.com/sandlot-dev/sandlot/sdk/filetail"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Read opens a regular file. A pipe or device could hold the reader for ever.
func (f files) Read(ctx context.Context, path string, opts sandbox.ReadOptions) (io.ReadCloser, error) {
	if opts.Offset < 0 || opts.Limit < 0 {
		return nil, sandbox.Errorf(sandbox.Invalid, "read file %q: negative offset or limit", path)
	}
	a, err := f.find(path, Use{Follow: true})
	if err != nil {
		return nil, err
	}
	defer a.root.Close()
	file, err := a.root.OpenFile(a.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, a.fail("read file", err)
	}
	st, err := file.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = sandbox.Errorf(sandbox.Invalid, "not a regular file but %s", kindOf(st.Mode()))
	}
	if err == nil {
		_, err = file.Seek(opts.Offset, io.SeekStart)
	}
	if err != nil {
		_ = file.Close()
		return nil, a.fail("read file", err)
	}
	var from io.ReadCloser = reader{ctx: ctx, file: file}
	if opts.Follow {
		from = filetail.New(ctx, file)
	}
	if opts.Limit > 0 {
		return limited{Reader: io.LimitReader(from, opts.Limit), Closer: from}, nil
	}
	return from, nil
}

// reader reads a file as long as its context lasts.
type reader struct {
	ctx  context.Context
	file *os.File
}

func (r reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.file.Read(b)
}

func (r reader) Close() error { return r.file.Close() }

type limited struct {
	io.Reader
	io.Closer
}
