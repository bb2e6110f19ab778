package filetail

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// blind is a reader on a system that has no instance of inotify left.
func blind(ctx context.Context, file *os.File) *Tail {
	ctx, stop := context.WithCancel(ctx)
	w := &watch{changed: make(chan struct{}, 1), every: 4 * time.Millisecond}
	return &Tail{file: file, watch: w, ctx: ctx, stop: stop, ended: make(chan struct{})}
}

func TestWithoutAWatchTheFileIsLookedAtAgainAndAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	synctest.Test(t, func(t *testing.T) {
		w, err := os.Create(path)
		must(t, err)
		r, err := os.Open(path)
		must(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		tail := blind(ctx, r)
		buf := make([]byte, 10)
		read := func(do func()) (n int, err error) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				n, err = tail.Read(buf)
			}()
			synctest.Wait() // it waits
			do()
			<-done
			return n, err
		}
		began := time.Now()
		n, err := read(func() { _, err := w.WriteString("abc"); must(t, err) })
		if err != nil || string(buf[:n]) != "abc" || time.Since(began) != tail.watch.every {
			t.Errorf("got %q, %v after %s, want it at the next look", buf[:n], err, time.Since(began))
		}
		if _, err = read(cancel); !errors.Is(err, context.Canceled) {
			t.Errorf("at its context's end: got %v", err)
		}
		must(t, tail.Close())

		r, err = os.Open(path)
		must(t, err)
		tail = blind(t.Context(), r)
		_, err = tail.Read(buf)
		must(t, err)
		if _, err = read(func() { must(t, os.Remove(path)) }); !errors.Is(err, io.EOF) {
			t.Errorf("at its removal: got %v", err)
		}
		must(t, tail.Close())

		other, err := os.Create(path + ".other")
		must(t, err)
		r, err = os.Open(other.Name())
		must(t, err)
		must(t, os.Remove(r.Name()))
		tail = blind(t.Context(), r)
		tail.unnamed = true
		n, err = read(func() { _, err := other.WriteString("def"); must(t, err) })
		if err != nil || string(buf[:n]) != "def" {
			t.Errorf("without a name: got %q, %v", buf[:n], err)
		}
		must(t, errors.Join(tail.Close(), w.Close(), other.Close()))
	})
}

// TestAChangeThatIsToldOfIsReadAtOnce has a watch that would look again after an
// hour only.
func TestAChangeThatIsToldOfIsReadAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	w, err := os.Create(path)
	must(t, err)
	r, err := os.Open(path)
	must(t, err)
	tail := New(t.Context(), r)
	tail.watch.every = time.Hour
	told := make(chan string)
	go func() {
		defer close(told)
		buf := make([]byte, 10)
		for {
			n, err := tail.Read(buf)
			if err != nil {
				told <- err.Error()
				return
			}
			told <- string(buf[:n])
		}
	}()
	for _, text := range []string{"a", "b"} {
		_, err := w.WriteString(text)
		must(t, err)
		if got := <-told; got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	must(t, os.Remove(path))
	must(t, w.Close())
	if got := <-told; got != "EOF" {
		t.Errorf("at its removal: got %q", got)
	}
	must(t, tail.Close())
}

func TestAReaderThatIsClosedLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	must(t, os.WriteFile(path, []byte("x"), 0o600))
	before := open(t, path)
	for range 20 {
		r, err := os.Open(path)
		must(t, err)
		tail := New(t.Context(), r)
		_, err = tail.Read(make([]byte, 1))
		must(t, err)
		must(t, tail.Close())
	}
	if after := open(t, path); after != before {
		t.Errorf("%d files are open, %d were before", after, before)
	}
}

// open counts this program's files that are the path or a watch.
func open(t *testing.T, path string) (n int) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	for _, e := range list {
		switch to, _ := os.Readlink("/proc/self/fd/" + e.Name()); to {
		case path, "anon_inode:inotify":
			n++
		}
	}
	return n
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
