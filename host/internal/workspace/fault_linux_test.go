package workspace

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// asNobody runs f as a user who may read nothing that isn't for all.
func asNobody(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if os.Getuid() == 0 {
			_ = unix.Setfsuid(65534)
		}
		f()
	}()
	<-done
}

func TestWhatCannotBeReadIsNamed(t *testing.T) {
	for _, c := range []struct{ name, entry string }{{"a file", "d/f"}, {"a folder", "d/"}, {"a .gitignore file", ".gitignore"}} {
		t.Run(c.name, func(t *testing.T) {
			top := lay(t, c.entry)
			if err := os.Chmod(filepath.Join(top, c.entry), 0); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(filepath.Join(top, c.entry), 0o700) })
			tr := treeOf(t, top, true)
			asNobody(func() {
				err := tr.pack(io.Discard, &amount{})
				if !errors.Is(err, sandbox.Denied) || !strings.Contains(err.Error(), filepath.Join(top, c.entry)+": permission denied (make it readable") {
					t.Errorf("%v", err)
				}
			})
		})
	}
}

func TestWhatChangesWhileItIsReadIsToldOrLeftOut(t *testing.T) {
	top := lay(t, "f = content", "p")
	tr := treeOf(t, top, false)
	find := func(name string) (found entry) {
		if err := tr.walk(func(e entry) error {
			if e.name == name {
				found = e
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return found
	}
	p := packer{tree: tr, tar: tar.NewWriter(io.Discard), done: &amount{}, buf: make([]byte, 4)}

	if err := p.tar.WriteHeader(&tar.Header{Name: "f", Size: 7, Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	err := p.content("f", strings.NewReader("conte"), 7)
	if !errors.Is(err, sandbox.Conflict) || !strings.Contains(err.Error(), "shrank from 7 to 5 bytes") {
		t.Errorf("a file that shrank: %v", err)
	}

	p.tar = tar.NewWriter(io.Discard)
	e := find("p")
	if err := os.Remove(filepath.Join(top, "p")); err != nil {
		t.Fatal(err)
	}
	if err := p.entry(e); err != nil {
		t.Errorf("a file that vanished: %v", err)
	}
	if err := unix.Mkfifo(filepath.Join(top, "p"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.entry(e); !errors.Is(err, sandbox.Invalid) || !strings.Contains(err.Error(), "replaced by a named pipe") {
		t.Errorf("a pipe in place of a file: %v", err)
	}
}

// TestAFileThatGrowsIsCopiedAsItWas writes to a file between its header and its
// content.
func TestAFileThatGrowsIsCopiedAsItWas(t *testing.T) {
	p := packer{tree: treeOf(t, t.TempDir(), false), done: &amount{}, buf: make([]byte, 4)}
	var out strings.Builder
	p.tar = tar.NewWriter(&out)
	if err := p.tar.WriteHeader(&tar.Header{Name: "f", Size: 5, Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	if err := p.content("f", strings.NewReader("longer than before"), 5); err != nil {
		t.Fatal(err)
	}
	if err := p.tar.Close(); err != nil || !strings.Contains(out.String(), "longe\x00") {
		t.Errorf("%v", err)
	}
}

func TestATreeThatIsTooDeepIsRefused(t *testing.T) {
	top := t.TempDir()
	root, err := os.OpenRoot(top)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := root.MkdirAll(strings.Repeat("d/", maxDepth+2), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := treeOf(t, top, false).count(); !errors.Is(err, sandbox.Invalid) || !strings.Contains(err.Error(), "deeper than 512") {
		t.Errorf("%.300v", err)
	}
}

func TestACopyThatStandsStillIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done, total := &amount{}, &amount{}
		var told []Phase
		ctx, stop := watched(t.Context(), done, total, func(p Phase) { told = append(told, p) })
		defer stop()
		for range 10 {
			done.bytes.Add(1000)
			<-time.After(stall - 2*time.Second)
		}
		if err := ctx.Err(); err != nil {
			t.Fatalf("it moved: %v", err)
		}
		<-time.After(stall + 2*time.Second)
		synctest.Wait()
		if len(told) != 10 || told[9].Detail != "0 of 0 files, 10.0 kB of 0 bytes" {
			t.Errorf("told: %+v", told)
		}
		if err := sandbox.ClassOf(context.Cause(ctx)); err != sandbox.TimedOut {
			t.Errorf("it stood still: %v", context.Cause(ctx))
		}
	})
}
