package proctree

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDescend(t *testing.T) {
	k := func(pid int, start uint64, parent int) kin { return kin{ident{pid, start}, parent, strconv.Itoa(pid)} }
	for _, c := range []struct {
		name  string
		table []kin
		known []ident
		want  []int
	}{
		{"nobody is known", []kin{k(1, 1, 0), k(2, 2, 1)}, nil, nil},
		{"children and theirs, in any order", []kin{k(4, 4, 3), k(3, 3, 2), k(2, 2, 1), k(1, 1, 0)}, []ident{{2, 2}}, []int{2, 3, 4}},
		{"not parents and siblings", []kin{k(1, 1, 0), k(2, 2, 1), k(3, 3, 1)}, []ident{{2, 2}}, []int{2}},
		{"the leader has gone, its children name it", []kin{k(3, 3, 2), k(4, 4, 3)}, []ident{{2, 2}}, []int{3, 4}},
		{"an intermediate that was seen before has gone", []kin{k(2, 2, 1), k(4, 4, 3)}, []ident{{2, 2}, {3, 3}}, []int{2, 4}},
		{"an intermediate that nobody saw has gone", []kin{k(2, 2, 1), k(4, 4, 3)}, []ident{{2, 2}}, []int{2}},
		{"the leader's number is another's now, whose child is none of ours", []kin{k(2, 9, 1), k(3, 10, 2)}, []ident{{2, 2}}, nil},
		{"the leader's number is another's now, and its own child lives", []kin{k(2, 9, 1), k(3, 3, 2), k(5, 10, 2)}, []ident{{2, 2}}, []int{3}},
		{"older than its parent is a stranger: the number was used before", []kin{k(2, 5, 1), k(3, 3, 2)}, []ident{{2, 5}}, []int{2}},
		{"one that is its own parent", []kin{k(0, 0, 0), k(2, 2, 2)}, []ident{{7, 7}}, nil},
		{"in the same instant", []kin{k(2, 2, 1), k(3, 2, 2)}, []ident{{2, 2}}, []int{2, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got, want []string
			for _, m := range descend(c.table, c.known) {
				got = append(got, m.name)
			}
			for _, pid := range c.want {
				want = append(want, strconv.Itoa(pid))
			}
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Windows refuses a backslash but the one after the namespace, and more than 260
// characters.
func TestJobNamesAreValidAndDiffer(t *testing.T) {
	a, b := &Forest{key: hash("a")[:16]}, &Forest{key: hash("b")[:16]}
	seen := map[string]bool{}
	for _, name := range []string{jobName(a.token("x")), jobName(a.token("y")), jobName(b.token("x")), jobName(a.token(strings.Repeat(`\`, 256)))} {
		rest, ok := strings.CutPrefix(name, `Local\`)
		if !ok || strings.Contains(rest, `\`) || len(name) > 260 || seen[name] {
			t.Errorf("%q", name)
		}
		seen[name] = true
	}
}
