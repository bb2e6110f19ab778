package shellfs

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// stream is the output of a script that runs while it is read. Its end is io.EOF
// only if the script says that all is well; else it is the script's failure.
type stream struct {
	*io.PipeReader

	cancel context.CancelFunc
	done   chan struct{}
}

// stream starts a script. Close ends it.
func (f files) stream(ctx context.Context, c call) (*stream, error) {
	ctx, cancel := context.WithCancel(ctx)
	r, w := io.Pipe()
	var stderr lastWords
	cmd := f.command(c)
	cmd.Stdout, cmd.Stderr = w, &stderr
	p, err := f.sb.Start(ctx, cmd)
	if err != nil {
		defer cancel()
		return nil, f.failure(ctx, c.what, err, sandbox.Exit{}, nil)
	}
	s := &stream{PipeReader: r, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		exit, err := p.Wait(ctx)
		if closeErr := p.Close(); err == nil { // kills what ctx gave up
			err = closeErr
		}
		_ = w.CloseWithError(f.failure(ctx, c.what, err, exit, stderr.bytes())) // io.EOF for nil
	}()
	return s, nil
}

// Close ends the script, if it still runs, and waits for its end.
func (s *stream) Close() error {
	_ = s.PipeReader.Close() // never fails
	s.cancel()
	<-s.done
	return nil
}

// lastWords keeps the end of what is written to it: at least maxWords bytes.
type lastWords struct {
	mu  sync.Mutex
	buf []byte
}

func (l *lastWords) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf = append(l.buf, p...)
	if len(l.buf) > 2*maxWords {
		l.buf = append(l.buf[:0], l.buf[len(l.buf)-maxWords:]...)
	}
	return len(p), nil
}

func (l *lastWords) bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.buf)
}
