package providertest

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func atomicCases() []testCase {
	return []testCase{
		{"a reader sees the old content or the new, never a mixture", withFiles(oldOrNew)},
		{"a write whose reader fails leaves the old file and nothing else", withFiles(abortedWrite)},
		{"a write whose context ends leaves the old file and nothing else", withFiles(canceledWrite)},
		{"an open reader keeps the content it was opened on", withFiles(openReader)},
		{"a folder isn't replaced by a file", withFiles(writeOnFolder)},
		{"many writers of one file leave one whole content", withFiles(manyWriters)},
	}
}

func oldOrNew(f *filed) {
	const size = 1 << 20
	contents := []string{strings.Repeat("a", size), strings.Repeat("b", size)}
	f.write("file", contents[0], 0)
	var all sync.WaitGroup
	over := make(chan struct{})
	for range 2 {
		all.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				got, err := f.tryRead("file", sandbox.ReadOptions{})
				if err != nil || !slices.Contains(contents, got) {
					f.Errorf("read %d bytes, %d of them a, %v", len(got), strings.Count(got, "a"), err)
					return
				}
			}
		})
	}
	for i := range 30 {
		if err := f.files.Write(f.ctx, "file", strings.NewReader(contents[(i+1)%2]), sandbox.WriteOptions{}); err != nil {
			f.Errorf("write: %v", err)
		}
	}
	close(over)
	all.Wait()
}

var errSource = errors.New("the source failed")

// failing gives n bytes and then end's error.
type failing struct {
	n   int
	end func() error
}

func (r *failing) Read(p []byte) (int, error) {
	if r.n == 0 {
		return 0, r.end()
	}
	n := min(r.n, len(p))
	for i := range p[:n] {
		p[i] = 'x'
	}
	r.n -= n
	return n, nil
}

func abortedWrite(f *filed) {
	f.write("dir/file", "old", 0)
	for _, n := range []int{0, 1, 1 << 20} {
		for _, path := range []string{"dir/file", "dir/new"} {
			err := f.files.Write(f.ctx, path, &failing{n, func() error { return errSource }}, sandbox.WriteOptions{Mode: 0o600})
			if !errors.Is(err, errSource) {
				f.Errorf("after %d bytes: %v, want the reader's error", n, err)
			}
			f.untouched()
		}
	}
}

// untouched checks that dir holds the old file and nothing else. What an
// aborted write leaves may take a moment to be cleaned up.
func (f *filed) untouched() {
	f.Helper()
	if !f.within(f.suite.opts.Patience/4, func() bool { return slices.Equal(f.names("dir"), []string{"file"}) }) {
		f.Errorf("the folder holds %q", f.names("dir"))
	}
	if got := f.read("dir/file"); got != "old" {
		f.Errorf("the old file holds %d bytes", len(got))
	}
	f.sameMode("dir/file", 0o644)
}

func canceledWrite(f *filed) {
	f.write("dir/file", "old", 0)
	for _, path := range []string{"dir/file", "dir/new"} {
		ctx, cancel := context.WithCancel(f.ctx)
		r := &failing{1 << 20, func() error {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		}}
		f.soon("a write whose context ends", func() {
			f.mustBe("write", f.files.Write(ctx, path, r, sandbox.WriteOptions{}), sandbox.Canceled)
		})
		cancel()
		f.untouched()
	}
}

func openReader(f *filed) {
	want := noise(4<<20, 6)
	f.write("file", string(want), 0)
	r, err := f.files.Read(f.ctx, "file", sandbox.ReadOptions{})
	f.noError("read", err)
	defer func() { _ = r.Close() }()
	first := make([]byte, 1000)
	_, err = io.ReadFull(r, first)
	f.noError("read", err)
	f.write("file", "new", 0)
	rest, err := io.ReadAll(r)
	f.noError("read on", err)
	f.sameBytes("the old content", append(first, rest...), want)
}

func writeOnFolder(f *filed) {
	f.sh("mkdir folder && printf x >folder/inside")
	err := f.files.Write(f.ctx, "folder", strings.NewReader("x"), sandbox.WriteOptions{})
	f.mustBe("write", err, sandbox.Invalid, sandbox.Conflict)
	if got := f.sh("cat folder/inside && ls -A"); got != "xfolder\n" {
		f.Errorf("afterwards %q", got)
	}
	f.mustBe("write on the root", f.files.Write(f.ctx, ".", strings.NewReader("x"), sandbox.WriteOptions{}), sandbox.Invalid, sandbox.Conflict)
}

func manyWriters(f *filed) {
	var all sync.WaitGroup
	var contents []string
	for i := range 8 {
		content := strings.Repeat(string(rune('a'+i)), 300_000+i)
		contents = append(contents, content)
		all.Go(func() {
			if err := f.files.Write(f.ctx, "dir/file", strings.NewReader(content), sandbox.WriteOptions{}); err != nil {
				f.Errorf("write: %v", err)
			}
		})
	}
	all.Wait()
	if got := f.read("dir/file"); !slices.Contains(contents, got) {
		f.Errorf("%d bytes of no writer", len(got))
	}
	if got := f.names("dir"); !slices.Equal(got, []string{"file"}) {
		f.Errorf("the folder holds %q", got)
	}
}
