package gitsource

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// ahead is how many objects git is asked for before the first one was read.
const ahead = 256

// workTree writes the commit's files, as git keeps them. One git lists them, and
// another one gives what is in them.
func (p *packer) workTree(ctx context.Context, t *Tree, below string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ask, questions := io.Pipe()
	answers, give := io.Pipe()
	entries := make(chan entry, ahead)
	listed, given := make(chan error, 1), make(chan error, 1)
	go func() {
		c := t.job.local(t.dir, "cat-file", "--batch")
		c.stdin, c.stdout = ask, give
		err := t.job.git.run(ctx, c)
		ask.CloseWithError(io.ErrClosedPipe)
		give.CloseWithError(err)
		given <- err
	}()
	go func() {
		err := t.each(ctx, func(e entry) error {
			if e.kind == "blob" {
				if _, err := io.WriteString(questions, e.object+"\n"); err != nil {
					return err
				}
			}
			select {
			case entries <- e:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
		_ = questions.Close() // a pipe in memory
		close(entries)
		listed <- err
	}()
	err := p.entries(t, bufio.NewReaderSize(answers, 64<<10), entries, below)
	if err != nil {
		cancel(err)
	}
	answers.CloseWithError(io.ErrClosedPipe)
	for range entries { // those that follow an error
	}
	listErr, giveErr := <-listed, <-given
	for _, e := range []error{err, listErr, giveErr} {
		if e != nil {
			return e
		}
	}
	return nil
}

func (p *packer) entries(t *Tree, answers *bufio.Reader, entries <-chan entry, below string) error {
	for e := range entries {
		if err := p.entry(t, e, answers, below+e.path); err != nil {
			return err
		}
	}
	return nil
}

func (p *packer) entry(t *Tree, e entry, answers *bufio.Reader, name string) error {
	if e.kind != "blob" { // a folder, or where a submodule belongs
		return p.tar.WriteHeader(p.header(tar.TypeDir, name+"/", 0o755))
	}
	line, err := answers.ReadString('\n')
	if err != nil {
		return fmt.Errorf("read %s: %w", shown(e.path), err)
	}
	if want := e.object + " blob " + strconv.FormatInt(e.size, 10) + "\n"; line != want {
		return sandbox.Errorf(sandbox.Internal, "read %s: git answered %q", shown(e.path), printable(line))
	}
	if e.mode == "120000" {
		err = p.link(e, answers, name)
	} else {
		err = p.file(t, e, answers, name)
	}
	if err != nil {
		return err
	}
	p.moved(1, 0)
	_, err = answers.Discard(1) // the end of line that follows each object
	return err
}

// link writes a link as it is. It is never followed here.
func (p *packer) link(e entry, answers *bufio.Reader, name string) error {
	target := make([]byte, e.size)
	if _, err := io.ReadFull(answers, target); err != nil {
		return err
	}
	if len(target) == 0 || bytes.IndexByte(target, 0) >= 0 {
		return refuse(e.path, "it is a link to nothing that has a name")
	}
	h := p.header(tar.TypeSymlink, name, 0o777)
	h.Linkname = string(target)
	return p.tar.WriteHeader(h)
}

func (p *packer) file(t *Tree, e entry, answers *bufio.Reader, name string) error {
	h := p.header(tar.TypeReg, name, 0o644)
	if strings.HasSuffix(e.mode, "755") {
		h.Mode = 0o755
	}
	h.Size = e.size
	if err := p.tar.WriteHeader(h); err != nil {
		return err
	}
	if start, err := answers.Peek(int(min(e.size, int64(len(pointerStart))))); err == nil && e.size < maxPointer && string(start) == pointerStart {
		t.large.note(e.path)
	}
	return p.content(answers, e.size)
}
