//go:build unix

package shellfs_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// endless gives bytes until it is stopped, and says when some were taken.
type endless struct {
	taken chan struct{} // closed after a few pieces
	n     int
	stop  <-chan struct{}
}

func (e *endless) Read(b []byte) (int, error) {
	select {
	case <-e.stop:
		return 0, io.EOF
	default:
	}
	if e.n++; e.n == 100 {
		close(e.taken)
	}
	return copy(b, bytes.Repeat([]byte("x"), 64<<10)), nil
}

// killing makes each first command of a call die once the source was read for a
// while, as a crash or a cleaner would do it.
func killing(t *testing.T, b *box, source *endless) {
	t.Helper()
	first := true
	b.hook = func(cmd *sandbox.Command) {
		if !first {
			return
		}
		first = false
		id := cmd.ID
		go func() {
			<-source.taken
			if err := b.Kill(context.Background(), id, 0); err != nil {
				t.Errorf("kill: %v", err)
			}
		}()
	}
}

func TestAKilledWriteLeavesTheOldFileAndNothingElse(t *testing.T) {
	onEach(t, func(t *testing.T, b *box) {
		write(t, b, "file", "old")
		source := &endless{taken: make(chan struct{}), stop: t.Context().Done()}
		killing(t, b, source)
		err := b.Files().Write(t.Context(), "file", source, sandbox.WriteOptions{})
		wantClass(t, err, sandbox.Unavailable, "signal 9")
		if got := names(t, b) + " " + read(t, b, "file"); got != "file old" {
			t.Errorf("afterwards %q", got)
		}
	})
}

func TestAKilledPushLeavesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, b *box) {
		write(t, b, "file", "old")
		source := &endless{taken: make(chan struct{}), stop: t.Context().Done()}
		killing(t, b, source)
		// The header promises more than will ever come.
		stream := tree(t, "big", strings.Repeat("x", 512))
		head := bytes.Clone(stream[:512])
		resize(head, 1<<30)
		err := b.Files().Push(t.Context(), ".", io.MultiReader(bytes.NewReader(head), source))
		wantClass(t, err, sandbox.Unavailable, "signal 9")
		if got := names(t, b); got != "file" {
			t.Errorf("afterwards %q", got)
		}
	})
}

// resize writes another size into a tar header.
func resize(header []byte, size int64) {
	octal := []byte("00000000000\x00")
	for i := 10; i >= 0; i-- {
		octal[i] = byte('0' + size&7)
		size >>= 3
	}
	copy(header[124:], octal)
	copy(header[148:], "        ")
	sum := 0
	for _, b := range header {
		sum += int(b)
	}
	digits := []byte("000000\x00 ")
	for i := 5; i >= 0; i-- {
		digits[i] = byte('0' + sum&7)
		sum >>= 3
	}
	copy(header[148:], digits)
}

// A transport that loses the rest of stdin looks to the sandbox like its end.
func TestContentThatIsCutOffIsNeverTakenForWhole(t *testing.T) {
	onEach(t, func(t *testing.T, b *box) {
		write(t, b, "file", "old")
		content := strings.Repeat("x", 100_000)
		for _, n := range []int64{0, 1, 6, 7, 5000, 65_000, 100_006, 512 + 100_352} { // the last: all of the member
			first := true
			b.hook = func(cmd *sandbox.Command) {
				if first {
					first, cmd.Stdin = false, io.LimitReader(cmd.Stdin, n)
				}
			}
			err := b.Files().Write(t.Context(), "file", strings.NewReader(content+content), sandbox.WriteOptions{})
			wantClass(t, err, sandbox.Unavailable, "cut off")
			first = true
			err = b.Files().Push(t.Context(), ".", bytes.NewReader(tree(t, "pushed", content)))
			if err == nil {
				t.Errorf("a stream of %d bytes was taken for whole", n)
			}
			if got := names(t, b) + " " + read(t, b, "file"); got != "file old" {
				t.Errorf("after %d bytes %q", n, got)
			}
		}
	})
}

// fake puts a program before the others.
func fake(t *testing.T, b *box, name, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.Env = []string{"PATH=" + dir + ":" + strings.TrimPrefix(b.Env[0], "PATH=")}
}

func TestAFullDiskIsExhausted(t *testing.T) {
	onPrograms(t, func(t *testing.T, b *box) {
		write(t, b, "file", "old")
		fake(t, b, "dd", `echo "dd: error writing 'standard output': No space left on device" >&2; exit 1`)
		err := b.Files().Write(t.Context(), "file", strings.NewReader("new"), sandbox.WriteOptions{})
		wantClass(t, err, sandbox.Exhausted, `"file"`, "No space left")
		fake(t, b, "tar", `cat >/dev/null; echo "tar: x: Cannot write: No space left on device" >&2; echo "tar: Exiting with failure status due to previous errors" >&2; exit 2`)
		wantClass(t, b.Files().Push(t.Context(), ".", bytes.NewReader(tree(t, "x", "x"))), sandbox.Exhausted)
		if got := names(t, b) + " " + read(t, b, "file"); got != "file old" {
			t.Errorf("afterwards %q", got)
		}
	})
}

func TestAProgramThatIsMissingIsUnsupportedAndNamed(t *testing.T) {
	onPrograms(t, func(t *testing.T, b *box) {
		write(t, b, "file", "x")
		with := b.Env[0]
		dir := t.TempDir()
		for _, name := range []string{"sh", "stat", "rm", "mv", "mkdir", "chmod", "find"} {
			link(t, program(t, with, name), filepath.Join(dir, name))
		}
		b.Env = []string{"PATH=" + dir}
		wantClass(t, b.Files().Pull(t.Context(), ".", io.Discard), sandbox.Unsupported, "no program tar")
		wantClass(t, b.Files().Push(t.Context(), ".", bytes.NewReader(tree(t, "x", "x"))), sandbox.Unsupported, "no program tar")
		_, err := b.Files().Read(t.Context(), "file", sandbox.ReadOptions{})
		wantClass(t, err, sandbox.Unsupported, "no program dd")
		if _, err := b.Files().Stat(t.Context(), "file"); err != nil {
			t.Error(err)
		}
		b.Env = []string{"PATH=" + t.TempDir()}
		_, err = b.Files().Stat(t.Context(), "file")
		wantClass(t, err, sandbox.Unsupported, "coreutils or BusyBox")
	})
}

// program finds a program on the PATH of an environment.
func program(t *testing.T, env, name string) string {
	t.Helper()
	for dir := range strings.SplitSeq(strings.TrimPrefix(env, "PATH="), ":") {
		path, err := filepath.EvalSymlinks(filepath.Join(dir, name))
		if err == nil {
			return path
		}
	}
	t.Fatalf("no %s in %s", name, env)
	return ""
}
