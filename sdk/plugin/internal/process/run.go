package process

import (
	"bytes"
	"context"
	"io"
	"os"
)

// maxOutput is the most that Output takes of a stdout.
const maxOutput = 8 << 20

// Output runs the process to its end and returns what it printed on stdout.
// The error is one of starting it; State says how it ended.
func (p *Process) Output() ([]byte, error) {
	var out bytes.Buffer
	p.stdout = func(r *os.File) {
		_, _ = io.Copy(&out, io.LimitReader(r, maxOutput))
		_, _ = io.Copy(io.Discard, r) // it must not block on what nobody wants
	}
	if err := p.Start(context.Background()); err != nil {
		return nil, err
	}
	<-p.exited
	return out.Bytes(), nil
}
