package filetail_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/filetail"
)

// growing is a file and who reads it while the test writes.
type growing struct {
	path string
	w    *os.File
	tail *filetail.Tail
}

func grow(ctx context.Context, t *testing.T, follow func(context.Context, *os.File) *filetail.Tail) *growing {
	t.Helper()
	g := &growing{path: filepath.Join(t.TempDir(), "log")}
	var err error
	g.w, err = os.OpenFile(g.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	must(t, err)
	t.Cleanup(func() { must(t, g.w.Close()) })
	r, err := os.Open(g.path)
	must(t, err)
	g.tail = follow(ctx, r)
	return g
}

func (g *growing) write(t *testing.T, text string) {
	t.Helper()
	_, err := g.w.WriteString(text)
	must(t, err)
}

// expect reads as many bytes as text has.
func (g *growing) expect(t *testing.T, text string) {
	t.Helper()
	buf := make([]byte, len(text))
	if n, err := io.ReadFull(g.tail, buf); err != nil || string(buf[:n]) != text {
		t.Fatalf("got %q, %v, want %q", buf[:n], err, text)
	}
}

// end expects the reader's end, after text.
func (g *growing) end(t *testing.T, text string) {
	t.Helper()
	got, err := io.ReadAll(g.tail)
	if err != nil || string(got) != text {
		t.Errorf("at the end: got %q, %v, want %q", got, err, text)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAFileIsReadAsItGrows(t *testing.T) {
	t.Parallel()
	g := grow(t.Context(), t, filetail.New)
	defer func() { must(t, g.tail.Close()) }()
	for _, text := range []string{"a", "bc\n", "\x00\xff", "the last"} {
		g.write(t, text)
		g.expect(t, text)
	}
}

func TestAReadThatWaitsGetsWhatComes(t *testing.T) {
	t.Parallel()
	g := grow(t.Context(), t, filetail.New)
	defer func() { must(t, g.tail.Close()) }()
	var got []byte
	done := make(chan error)
	go func() {
		buf := make([]byte, 7) // smaller than what comes
		for len(got) < 4000 {
			n, err := g.tail.Read(buf)
			got = append(got, buf[:n]...)
			if err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	var want []byte
	for i := range 1000 {
		piece := []byte{'0' + byte(i%10), byte(i), byte(i >> 8), '\n'}
		want = append(want, piece...)
		_, err := g.w.Write(piece)
		must(t, err)
	}
	must(t, <-done)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%.300s", diff)
	}
}

func TestReadingStartsWhereTheFileStands(t *testing.T) {
	t.Parallel()
	g := grow(t.Context(), t, func(ctx context.Context, f *os.File) *filetail.Tail {
		must(t, os.WriteFile(f.Name(), []byte("old new"), 0o600))
		_, err := f.Seek(4, io.SeekStart)
		must(t, err)
		return filetail.New(ctx, f)
	})
	defer func() { must(t, g.tail.Close()) }()
	g.expect(t, "new")
	g.write(t, "er")
	g.expect(t, "er")
}

// unnamed takes the file's name away.
func unnamed(ctx context.Context, f *os.File) *filetail.Tail {
	_ = os.Remove(f.Name())
	return filetail.NewUnnamed(ctx, f)
}

func TestAFileThatNeverHadANameIsReadAsItGrows(t *testing.T) {
	t.Parallel()
	g := grow(t.Context(), t, unnamed)
	defer func() { must(t, g.tail.Close()) }()
	for _, text := range []string{"a", "bc\n"} {
		g.write(t, text)
		g.expect(t, text)
	}
}

// TestEachEndOfAFileIsTheReadersEnd has each way in which nothing can come any
// more. What was written before is read.
func TestEachEndOfAFileIsTheReadersEnd(t *testing.T) {
	deadline := func(t *testing.T, g *growing) { must(t, g.tail.SetReadDeadline(time.Time{})) }
	cases := []struct {
		name   string
		follow func(context.Context, *os.File) *filetail.Tail
		end    func(t *testing.T, g *growing)
	}{
		{"it is removed", filetail.New, func(t *testing.T, g *growing) { must(t, os.Remove(g.path)) }},
		{"its folder is removed", filetail.New, func(t *testing.T, g *growing) { must(t, os.RemoveAll(filepath.Dir(g.path))) }},
		{"another takes its name", filetail.New, func(t *testing.T, g *growing) {
			must(t, os.WriteFile(g.path+".new", []byte("another's"), 0o600))
			must(t, os.Rename(g.path+".new", g.path))
		}},
		{"its end is said to be the end", filetail.New, deadline},
		{"the end of one without a name is said to be the end", unnamed, deadline},
	}
	for _, c := range cases {
		for _, waiting := range []bool{false, true} {
			name := c.name + ", before it is read"
			if waiting {
				name = c.name + ", while it is read"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				g := grow(t.Context(), t, c.follow)
				g.write(t, "written")
				if !waiting {
					c.end(t, g)
					g.end(t, "written")
				} else {
					g.expect(t, "written")
					done := make(chan struct{})
					go func() {
						defer close(done)
						g.end(t, "")
					}()
					c.end(t, g)
					<-done
				}
				must(t, g.tail.Close())
			})
		}
	}
}

// TestAReaderThatLeavesIsNoEndOfTheFile has each way in which a Read is given up.
func TestAReaderThatLeavesIsNoEndOfTheFile(t *testing.T) {
	cases := []struct {
		name  string
		leave func(g *growing, cancel func()) error
	}{
		{"its context ends", func(_ *growing, cancel func()) error { cancel(); return nil }},
		{"it is closed", func(g *growing, _ func()) error { return g.tail.Close() }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			g := grow(ctx, t, filetail.New)
			failed := make(chan error)
			go func() {
				n, err := g.tail.Read(make([]byte, 10))
				if n != 0 {
					t.Errorf("read %d bytes of nothing", n)
				}
				failed <- err
			}()
			must(t, c.leave(g, cancel))
			// Closed is what a Read finds that begins after it.
			if err := <-failed; !errors.Is(err, context.Canceled) && !errors.Is(err, os.ErrClosed) {
				t.Errorf("got %v", err)
			}
			_ = g.tail.Close() // a second time, perhaps
		})
	}
}
