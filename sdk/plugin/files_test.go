//go:build unix

package plugin_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestFilesCrossTheWire(t *testing.T) {
	sb := piped(t)
	filer, err := sandbox.As[sandbox.Filer](sb)
	if err != nil {
		t.Fatal(err)
	}
	f, ctx := filer.Files(), t.Context()
	name := "a\377b" // no UTF-8
	big := bytes.Repeat([]byte("0123456789"), 100_000)
	if err := f.Write(ctx, name, bytes.NewReader(big), sandbox.WriteOptions{Mode: 0o640}); err != nil {
		t.Fatal(err)
	}
	r, err := f.Read(ctx, name, sandbox.ReadOptions{Offset: 5, Limit: 700_000})
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, big[5:700_005]) {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
	list, err := f.List(ctx, ".")
	if err != nil || len(list) != 1 || list[0].Name != name || list[0].Mode != 0o640 || list[0].Size != int64(len(big)) {
		t.Errorf("list: got %+v, %v", list, err)
	}
	if _, err := f.Stat(ctx, "missing"); !errors.Is(err, sandbox.NotFound) {
		t.Errorf("stat: got %v", err)
	}
	if _, err := f.Read(ctx, "missing", sandbox.ReadOptions{}); !errors.Is(err, sandbox.NotFound) {
		t.Errorf("read: got %v, want it at once and of class not_found", err)
	}
	if err := errors.Join(f.Mkdir(ctx, "d/e", 0o755), f.Rename(ctx, name, "d/e/g"), f.Chmod(ctx, "d/e/g", 0o600)); err != nil {
		t.Error(err)
	}
	var archive bytes.Buffer
	if err := f.Pull(ctx, "d", &archive); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Remove(ctx, "d"), f.Mkdir(ctx, "n", 0o755), f.Push(ctx, "n", &archive)); err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat(ctx, "n/e/g")
	if err != nil || info.Size != int64(len(big)) || info.Mode != 0o600 {
		t.Errorf("after pull and push: %+v, %v", info, err)
	}
}

func TestAWriteThatBreaksOffKeepsTheOldFile(t *testing.T) {
	sb := piped(t)
	f, ctx := sb.(sandbox.Filer).Files(), t.Context()
	if err := f.Write(ctx, "f", strings.NewReader("old"), sandbox.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	cause := errors.New("the source broke")
	err := f.Write(ctx, "f", io.MultiReader(io.LimitReader(zeros{}, 1_000_000), failing{cause}), sandbox.WriteOptions{})
	if !errors.Is(err, cause) {
		t.Errorf("got %v, want the reader's own error", err)
	}
	// The plugin learns of it a moment later.
	await(t, func() bool { return len(tempFiles(t, sb)) == 0 })
	data, err := os.ReadFile(filepath.Join(sb.Info().Root, "f"))
	if err != nil || string(data) != "old" {
		t.Errorf("got %d bytes, %v", len(data), err)
	}
	if err := f.Push(ctx, ".", failing{cause}); !errors.Is(err, cause) {
		t.Errorf("push: got %v", err)
	}
}

func TestAPushThatIsNoArchiveIsRefused(t *testing.T) {
	f := piped(t).(sandbox.Filer).Files()
	err := f.Push(t.Context(), ".", io.LimitReader(strings.NewReader(strings.Repeat("x", 1<<20)), 1<<20))
	if err == nil || !strings.Contains(err.Error(), tar.ErrHeader.Error()) {
		t.Errorf("got %v, want the plugin's own reason", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func tempFiles(t *testing.T, sb sandbox.Sandbox) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(sb.Info().Root, ".temp*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}
