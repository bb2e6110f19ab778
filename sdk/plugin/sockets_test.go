package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestASocketFolderFitsASocket(t *testing.T) {
	root := t.TempDir()
	short := filepath.Join(root, "s")
	cases := []struct {
		name, dir string
		fresh     bool
	}{
		{"none is given", "", true},
		{"a short one", short, false},
		{"one too long", filepath.Join(root, strings.Repeat("x", 80)), true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, err := makeSockets(c.dir)
			if err != nil {
				t.Fatal(err)
			}
			defer s.remove()
			if s.fresh != c.fresh || len(s.base)+len(socketName) > maxSocketPath {
				t.Errorf("got %+v, %d bytes with the socket", s, len(s.base)+len(socketName))
			}
			info, err := os.Stat(s.base)
			if err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("folder: %v, %v", info, err)
			}
		})
	}
	if s, err := makeSockets(filepath.Join(root, "s", "file")); err != nil {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestSweepRemovesOnlyTheDead(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	shared := t.TempDir()
	const dead = 1<<31 - 2 // no process has such an id
	_, space, _ := strings.Cut(mark(), ".")
	if space != "" {
		space = "." + space
	}
	gone := []string{
		filepath.Join(shared, fmt.Sprint(dead, space)),
		filepath.Join(os.TempDir(), fmt.Sprintf("sandlot-%d%s-123", dead, space)),
	}
	stay := []string{
		HostSockets(shared), filepath.Join(shared, "other"), filepath.Join(shared, "12x"), filepath.Join(shared, fmt.Sprintf("%d-1", dead)),
		filepath.Join(os.TempDir(), fmt.Sprintf("sandlot-%d%s-123", os.Getpid(), space)),
		filepath.Join(shared, fmt.Sprint(dead, ".elsewhere")), filepath.Join(os.TempDir(), fmt.Sprintf("sandlot-%d.elsewhere-123", dead)),
		filepath.Join(os.TempDir(), fmt.Sprintf("sandlot-%d", dead)), filepath.Join(os.TempDir(), "sandlot-notes-1"),
	}
	for _, dir := range append(gone, stay...) {
		if err := os.MkdirAll(filepath.Join(dir, "plugin-dir"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const nobody = 65534
	theirs := filepath.Join(os.TempDir(), fmt.Sprintf("sandlot-%d%s-456", dead, space))
	if err := os.Mkdir(theirs, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(theirs, nobody, nobody); err != nil {
		gone = append(gone, theirs) // only root gives away, so it is still ours
	} else {
		stay = append(stay, theirs)
	}
	SweepSockets(shared)
	for _, dir := range gone {
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s is still there", dir)
		}
	}
	for _, dir := range stay {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("%s is gone", dir)
		}
	}
	SweepSockets(filepath.Join(shared, "missing"))
}
