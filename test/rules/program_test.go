package rules

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// heaviest is how large a file of the repository may be, in bytes: everyone who
// clones it carries each version of each file for good.
const heaviest = 1 << 20

// weightViolation tells if a file of this size that begins with these bytes is
// a built program or too large to be kept.
func weightViolation(name string, head []byte, size int64) string {
	for _, magic := range []string{"\x7fELF", "MZ", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "!<arch>\n"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return name + " is a built program: remove it (git rm --cached) and build into bin/"
		}
	}
	if size > heaviest {
		return fmt.Sprintf("%s has %d bytes, more than %d", name, size, heaviest)
	}
	return ""
}

func TestTheRepositoryHoldsNoPrograms(t *testing.T) {
	top := root(t)
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached")
	cmd.Dir = top
	listed, err := cmd.Output()
	if err != nil {
		t.Fatalf("list the repository's files: %v", err)
	}
	seen := 0
	for name := range strings.SplitSeq(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
		head, size, err := beginning(filepath.Join(top, filepath.FromSlash(name)))
		if os.IsNotExist(err) {
			continue // removed, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		seen++
		if v := weightViolation(name, head, size); v != "" {
			t.Error(v)
		}
	}
	if seen == 0 {
		t.Error("git knows no file of the repository")
	}
	planted, size, err := beginning(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if weightViolation("a test's program", planted, size) == "" || weightViolation("a", nil, heaviest+1) == "" {
		t.Error("a program and a large file pass")
	}
}

// beginning returns a file's first bytes and its size; a link's own.
func beginning(path string) ([]byte, int64, error) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, 0, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 8)
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return head[:n], info.Size(), err
}
