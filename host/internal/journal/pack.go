package journal

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// pack copies one file of a journal, and says how many bytes of it were left
// out. It holds one buffer, whatever the file's size.
func (j *Journal) pack(ctx context.Context, name string, size int64, to string, opts CopyOptions) (cut int64, err error) {
	head, tail := opts.Head, opts.Tail
	if head == 0 && tail == 0 {
		head, tail = DefaultHead, DefaultTail
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	zip, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return 0, errors.Join(err, out.Close())
	}
	p := packer{files: j.files, file: path.Join(j.folder, name), to: zip, scrub: opts.Scrub}
	if size <= head+tail {
		err = p.stretch(ctx, 0, head+tail, 0, true)
	} else {
		cut = size - head - tail
		early := min(int64(opts.Overlap), head+cut)
		err = p.stretch(ctx, 0, head, 0, false)
		if err == nil {
			_, err = fmt.Fprintf(zip, "\n--- sandlot: %d bytes of %d are left out here ---\n", cut, size)
		}
		if err == nil {
			err = p.stretch(ctx, size-tail-early, tail+early, early, true)
		}
	}
	return cut, errors.Join(err, zip.Close(), out.Sync(), out.Close())
}

type packer struct {
	files sandbox.Files
	file  string
	to    io.Writer
	scrub func() Scrubber
}

// stretch copies a part of the file. Its first bytes, skip of them, are read for
// the scrubber only: a secret may begin there. Where the file goes on after the
// stretch, what may be the beginning of a secret is dropped.
func (p packer) stretch(ctx context.Context, from, length, skip int64, last bool) error {
	if length <= 0 {
		return nil
	}
	in, err := p.files.Read(ctx, p.file, sandbox.ReadOptions{Offset: from, Limit: length})
	if err != nil {
		return err
	}
	defer in.Close()
	scrub := p.scrub()
	if skip > 0 {
		before := make([]byte, skip)
		n, err := io.ReadFull(in, before)
		scrub.Redact(before[:n])
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil // it was cut while it was read
		}
		if err != nil {
			return err
		}
	}
	if _, err := io.CopyBuffer(writerOnly{scrubbing{scrub, p.to}}, readerOnly{in}, make([]byte, batchSize)); err != nil {
		return err
	}
	if !last {
		return nil
	}
	_, err = p.to.Write(scrub.Close())
	return err
}

// scrubbing writes what a scrubber lets through.
type scrubbing struct {
	scrub Scrubber
	to    io.Writer
}

func (s scrubbing) Write(data []byte) (int, error) {
	if _, err := s.to.Write(s.scrub.Redact(data)); err != nil {
		return 0, err
	}
	return len(data), nil
}

// writerOnly and readerOnly keep io.Copy from ways around the buffer.
type (
	writerOnly struct{ io.Writer }
	readerOnly struct{ io.Reader }
)

// writeSynced writes a new file of mode 0600 through to the disk.
func writeSynced(to string, r io.Reader) error {
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Sync(), f.Close())
}

// Write writes what one file of the journal holds by now to w, scrubbed. A file
// that isn't there is NotFound; what was put in its place is Invalid.
func (j *Journal) Write(ctx context.Context, name string, scrub Scrubber, w io.Writer) error {
	file := path.Join(j.folder, name)
	info, err := j.files.Stat(ctx, file)
	if err != nil {
		return err
	}
	if info.Kind != sandbox.KindFile {
		return sandbox.Errorf(sandbox.Invalid, "it was replaced by a %s, which isn't read", kindWord(info.Kind))
	}
	return packer{files: j.files, file: file, to: w, scrub: func() Scrubber { return scrub }}.stretch(ctx, 0, info.Size, 0, true)
}
