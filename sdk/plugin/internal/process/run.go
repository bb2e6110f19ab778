package process

import (
	"bytes"
	"context"
	"io"
	"os"
)

// Output runs the process to its end and returns what it printed on stdout, most
// bytes of it. The error is one of starting it, which ctx bounds; State says how
// it ended. Kill ends it.
func (p *Process) Output(ctx context.Context, most int64) ([]byte, error) {
	var out bytes.Buffer
	p.stdout = func(r *os.File) {
		_, _ = io.Copy(&out, io.LimitReader(r, most))
		_, _ = io.Copy(io.Discard, r) // it must not block on what nobody wants
	}
	if err := p.Start(ctx); err != nil {
		return nil, err
	}
	<-p.exited
	return out.Bytes(), nil
}
