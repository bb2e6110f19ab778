package workspace

import (
	"io"
	"sync"
)

// input is the standard input of a shell: what is fed waits in order until it is
// read, and a shell that has ended holds nobody up.
type input struct {
	mu     sync.Mutex
	more   sync.Cond
	text   []byte
	closed bool
}

func newInput() *input {
	in := &input{}
	in.more.L = &in.mu
	return in
}

func (in *input) feed(text string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if !in.closed {
		in.text = append(in.text, text...)
	}
	in.more.Broadcast()
}

// close ends the input after what was fed.
func (in *input) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.closed = true
	in.more.Broadcast()
}

// Read implements io.Reader.
func (in *input) Read(p []byte) (int, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for len(in.text) == 0 && !in.closed {
		in.more.Wait()
	}
	if len(in.text) == 0 {
		return 0, io.EOF
	}
	n := copy(p, in.text)
	in.text = in.text[n:]
	return n, nil
}
