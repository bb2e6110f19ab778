package proctree

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMatch(t *testing.T) {
	m := marks{id: "run 1", token: "dir.one"}
	tests := []struct {
		name string
		env  []string
		want markMatch
	}{
		{"no environment", nil, notMarked},
		{"another one's", []string{"A=b", "PATH=/bin"}, notMarked},
		{"the tree alone", []string{"SANDLOT_PROC=run 1", "SANDLOT_TREE=dir.one"}, markedTree},
		{"the tree outside of another", []string{"SANDLOT_PROC=x", "SANDLOT_TREE=dir.one/dir2.x"}, markedTree},
		{"the tree inside of another", []string{"SANDLOT_TREE=dir2.x/dir.one"}, markedTree},
		{"a tree whose token is longer", []string{"SANDLOT_TREE=dir.one2"}, notMarked},
		{"the same id of another directory", []string{"SANDLOT_PROC=run 1", "SANDLOT_TREE=dir2.one"}, notMarked},
		{"the id without a tree", []string{"SANDLOT_PROC=run 1"}, markedBare},
		{"a longer id", []string{"SANDLOT_PROC=run 10"}, notMarked},
		{"the id inside of another variable", []string{"X=SANDLOT_PROC=run 1", "XSANDLOT_PROC=run 1"}, notMarked},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := m.match([]byte(strings.Join(tt.env, "\x00") + "\x00")); got != tt.want {
				t.Errorf("match %v, want %v", got, tt.want)
			}
		})
	}
	if got := (marks{token: "dir."}).match([]byte("SANDLOT_TREE=x.y/dir.any")); got != markedTree {
		t.Errorf("a whole directory: %v", got)
	}
}

func TestParseStat(t *testing.T) {
	tail := " S 7 8 9 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 1000 200 18446744073709551615"
	want := proc{ident: ident{42, 12345}, ppid: 7, pgrp: 8, sid: 9, state: 'S'}
	for _, name := range []string{"sh", "a b", "x) S 1 1 (", "(", ")"} {
		got, ok := parseStat([]byte("42 (" + name + ")" + tail))
		want.comm = name
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(proc{}, ident{})); !ok || diff != "" {
			t.Errorf("name %q: %v %s", name, ok, diff)
		}
	}
	for _, bad := range []string{"", "42", "42 (sh", "42 (sh) S 1", "x (sh)" + tail, "42 (sh) S x 8 9" + tail} {
		if got, ok := parseStat([]byte(bad)); ok {
			t.Errorf("%q is read as %+v", bad, got)
		}
	}
}

func TestCgroupDir(t *testing.T) {
	mount := func(root, at string) string {
		return "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n41 31 0:38 " + root + " " + at + " rw shared:1 - cgroup2 cgroup2 rw\n"
	}
	tests := []struct {
		name, mounts, self, want string
	}{
		{"v2 only", mount("/", "/sys/fs/cgroup"), "0::/user.slice/a\n", "/sys/fs/cgroup/user.slice/a"},
		{"hybrid", mount("/", "/sys/fs/cgroup/unified"), "4:memory:/m\n0::/\n", "/sys/fs/cgroup/unified"},
		{"a mount of a part", mount("/docker/x", "/cg"), "0::/docker/x/y\n", "/cg/y"},
		{"a mount of another part", mount("/docker/x", "/cg"), "0::/docker/z\n", ""},
		{"outside of the namespace", mount("/", "/cg"), "0::/../../z\n", ""},
		{"a mount point with a blank", mount("/", `/c\040g`), "0::/a\n", "/c g/a"},
		{"v1 only", "31 23 0:28 / /sys/fs/cgroup rw - cgroup cgroup rw,cpu\n", "4:memory:/m\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := cgroupDir([]byte(tt.mounts), []byte(tt.self)); got != tt.want {
				t.Errorf("folder %q, want %q", got, tt.want)
			}
		})
	}
}
