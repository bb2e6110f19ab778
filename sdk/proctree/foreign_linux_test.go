package proctree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What runs in a tree can write into procs as we can.
func TestNothingPutIntoProcsKeepsATreeAlive(t *testing.T) {
	mkfifo := func(path string) error { return errors.Join(os.RemoveAll(path), unix.Mkfifo(path, 0o600)) }
	link := func(target string) func(string) error {
		return func(path string) error { return errors.Join(os.RemoveAll(path), os.Symlink(target, path)) }
	}
	folder := func(path string) error {
		return errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Join(path, "with", "more"), 0o700))
	}
	garbage := func(path string) error {
		return errors.Join(os.RemoveAll(path), os.WriteFile(path, []byte("garbage"), 0o600))
	}
	closed := func(path string) error { return os.Chmod(path, 0) }
	places := map[string]func(f *Forest) string{
		"the record":     func(f *Forest) string { return f.recordPath("a") },
		"another record": func(f *Forest) string { return filepath.Join(f.recordDir(), "other") },
		"the mark":       func(f *Forest) string { return filepath.Join(f.recordDir(), closedMark) },
		"procs":          (*Forest).recordDir,
	}
	for where, place := range places {
		for what, put := range map[string]func(string) error{
			"a pipe": mkfifo, "a link to an endless file": link("/dev/zero"), "a link to nothing": link("/nowhere/at/all"),
			"a folder": folder, "garbage": garbage, "a mode that lets nobody in": closed,
		} {
			t.Run(what+" in the place of "+where, func(t *testing.T) {
				eachScope(t, func(t *testing.T, f *Forest) {
					tree := start(t, f, "a", "sleep 100 & sleep 100")
					if err := put(place(f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
						t.Fatal(err)
					}
					ctx := deadline(t, 10*time.Second)
					if _, err := f.Alive(ctx, "a"); err != nil {
						t.Errorf("alive: %v", err)
					}
					if err := f.Kill(ctx, "a", 0); err != nil {
						t.Errorf("kill: %v", err)
					}
					<-tree.Done()
					if err := put(place(f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
						t.Fatal(err)
					}
					if err := f.Close(ctx, 0); err != nil {
						t.Errorf("close: %v", err)
					}
					if _, err := f.Start(ctx, shell("late", "exit 0")); !errors.Is(err, ErrClosed) {
						t.Errorf("start in a closed directory: %v", err)
					}
				})
			})
		}
	}
}

func TestLinksInTheStateDirectoryAreNotFollowed(t *testing.T) {
	for name, put := range map[string]func(f *Forest, victim string) error{
		"in the place of procs": func(f *Forest, victim string) error { return os.Symlink(victim, f.recordDir()) },
		"in the place of the mark": func(f *Forest, victim string) error {
			return errors.Join(os.Mkdir(f.recordDir(), 0o700),
				os.Symlink(filepath.Join(victim, "precious"), filepath.Join(f.recordDir(), closedMark)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			victim := t.TempDir()
			if err := os.WriteFile(filepath.Join(victim, "precious"), []byte("precious"), 0o600); err != nil {
				t.Fatal(err)
			}
			f := open(t, t.TempDir(), Options{})
			if err := put(f, victim); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(f.Kill(t.Context(), "a", 0), f.Close(t.Context(), 0)); err != nil {
				t.Error(err)
			}
			entries, err := os.ReadDir(victim)
			data, err2 := os.ReadFile(filepath.Join(victim, "precious"))
			if err != nil || err2 != nil || len(entries) != 1 || string(data) != "precious" {
				t.Errorf("behind the link: %v, %q, %v, %v", entries, data, err, err2)
			}
		})
	}
}

func TestARecordNamesNoCgroupButItsOwn(t *testing.T) {
	f := open(t, t.TempDir(), Options{MarksOnly: true})
	h, err := f.claim(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	for cgroup, want := range map[string]string{
		"/sys/fs/cgroup": "", "/sys/fs/cgroup/system.slice": "", "/x/sandlot-1234.5678": "",
		"/x/" + cgroupPrefix + f.token("a"): "/x/" + cgroupPrefix + f.token("a"),
	} {
		if err := h.write(record{ID: []byte("a"), Boot: bootID(), Cgroup: cgroup}); err != nil {
			t.Fatal(err)
		}
		h.release()
		if h, err = f.hold(context.Background(), "a"); err != nil {
			t.Fatal(err)
		}
		if h.rec.Cgroup != want {
			t.Errorf("%s: taken for %q", cgroup, h.rec.Cgroup)
		}
	}
	h.release()
}
