package processes

import (
	"context"
	"io"
	"os"

	"github.com/sandlot-dev/sandlot/sdk/filetail"
	"github.com/sandlot-dev/sandlot/sdk/proctree"
)

// maxScript is the longest text that is passed as an argument; the kernel takes
// 128 KiB.
const maxScript = 100 << 10

// connect gives the process its files. Nil streams are /dev/null.
func (p *process) connect(spec *proctree.Spec) error {
	if p.cmd.TTY != nil {
		if err := p.openTerminal(spec); err != nil {
			return err
		}
		return p.script(spec)
	}
	if p.cmd.Stdin != nil {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		spec.Stdin, p.stdin = r, w
		p.theirs = append(p.theirs, r)
		p.onEnd = append(p.onEnd, func() { _ = w.Close() })
	}
	for _, out := range []struct {
		to   io.Writer
		file **os.File
	}{{p.cmd.Stdout, &spec.Stdout}, {p.cmd.Stderr, &spec.Stderr}} {
		if out.to == nil {
			continue
		}
		from, theirs, err := p.output()
		if err != nil {
			return err
		}
		*out.file = theirs
		p.theirs = append(p.theirs, theirs)
		p.pumps = append(p.pumps, &pump{from: from, to: out.to, limit: p.limit, done: make(chan struct{})})
	}
	return p.script(spec)
}

// output makes a pipe, or a file without a name for a detached process: a pipe
// would break when this program ends, and kill it or block it.
func (p *process) output() (source, *os.File, error) {
	if !p.cmd.Detached {
		return asSource(outputPipe())
	}
	ours, err := os.CreateTemp(p.place.StateDir, ".output-")
	if err != nil {
		return nil, nil, err
	}
	defer os.Remove(ours.Name())
	theirs, err := os.OpenFile(ours.Name(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		closeFiles([]*os.File{ours})
		return nil, nil, err
	}
	return filetail.NewUnnamed(context.Background(), ours), theirs, nil
}

func asSource(r, w *os.File, err error) (source, *os.File, error) { return r, w, err }

// script hands a long script over in a file that removes itself.
func (p *process) script(spec *proctree.Spec) error {
	if len(p.cmd.Script) <= maxScript {
		return nil
	}
	file, err := os.CreateTemp(p.place.StateDir, ".script-")
	if err != nil {
		return err
	}
	p.onEnd = append(p.onEnd, func() { _ = os.Remove(file.Name()) })
	_, err = io.WriteString(file, `rm -f -- "$0"; `+p.cmd.Script)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	spec.Argv = []string{"/bin/sh", file.Name()}
	return err
}

// feed copies stdin. A source that breaks is no end of file: then the pipe
// stays open until the process ends. A source that blocks is abandoned.
func (p *process) feed() {
	if p.stdin == nil {
		return
	}
	go func() {
		buf := make([]byte, leastRead)
		midLine := false
		for {
			n, err := p.cmd.Stdin.Read(buf)
			if n > 0 {
				midLine = buf[n-1] != '\n'
				if _, err := p.stdin.Write(buf[:n]); err != nil {
					return // nobody reads any more
				}
			}
			if n == len(buf) && n < mostRead {
				buf = make([]byte, 4*n)
				widen(p.stdin, len(buf))
			}
			if err == io.EOF {
				p.endStdin(midLine)
			}
			if err != nil {
				return
			}
		}
	}()
}

// endStdin lets the process read end of file.
func (p *process) endStdin(midLine bool) {
	if p.screen != nil {
		p.typeEnd(midLine)
		return
	}
	_ = p.stdin.Close()
}

// disconnect undoes connect for a process that wasn't started.
func (p *process) disconnect() {
	closeFiles(p.theirs)
	for _, pm := range p.pumps {
		_ = pm.from.Close()
	}
	for _, f := range p.onEnd {
		f()
	}
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // a second time does nothing
	}
}
