package gitsource_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/host/internal/workspace/gitsource"
)

// What is handed on isn't held: neither by us nor, above the threshold, by git.
func TestALargeFileIsStreamed(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	const size = 80 << 20
	large, err := os.Create(filepath.Join(r.dir, "large"))
	if err != nil {
		t.Fatal(err)
	}
	if err := large.Truncate(size); err != nil {
		t.Fatal(err)
	}
	if err := large.Close(); err != nil {
		t.Fatal(err)
	}
	r.git("-c", "core.bigFileThreshold=1m", "add", "-A")
	r.git("commit", "-q", "-m", "large")
	h := newHost(t, nil)
	tree, err := h.fetcher().Fetch(t.Context(), gitsource.Remote{URL: "file://" + r.dir, Depth: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	var count counter
	var largest int64
	err = tree.Pack(t.Context(), io.MultiWriter(&count, io.Discard), func(_, bytes int64) { largest = max(largest, bytes) })
	if err != nil {
		t.Fatal(err)
	}
	if count < size || largest > 1<<20 {
		t.Errorf("%d bytes were written, at most %d at once", count, largest)
	}
}

type counter int64

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

// benchRepo is a repository of 5,000 files of a few kilobytes.
func benchRepo(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	text := strings.Repeat("a line of a file that compresses as sources do\n", 60)
	for i := range 5000 {
		path := filepath.Join(dir, fmt.Sprintf("d%d/e%d/f%d.go", i%50, i%7, i))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(fmt.Sprint(i)+text), 0o600)); err != nil {
			b.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "all"}} {
		cmd := exec.CommandContext(b.Context(), "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	return dir
}

func BenchmarkFiveThousandFiles(b *testing.B) {
	r := benchRepo(b)
	for _, first := range []bool{true, false} {
		name := "from the cache"
		if first {
			name = "the first time"
		}
		b.Run(name, func(b *testing.B) {
			cache := b.TempDir()
			for b.Loop() {
				if first {
					b.StopTimer()
					cache = b.TempDir()
					b.StartTimer()
				}
				f := gitsource.Fetcher{Cache: filepath.Join(cache, "git"), Env: os.LookupEnv}
				tree, err := f.Fetch(b.Context(), gitsource.Remote{URL: "file://" + r, Ref: "main", Depth: 1})
				if err != nil {
					b.Fatal(err)
				}
				if err := tree.Pack(b.Context(), io.Discard, func(int64, int64) {}); err != nil {
					b.Fatal(err)
				}
				if err := tree.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
