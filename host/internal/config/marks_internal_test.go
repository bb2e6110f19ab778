package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitTakesPlaceholdersOnlyWhole(t *testing.T) {
	p := newPlaceholders()
	v, marks := p.value("A").Unmark()
	a := v.AsString()
	if len(marks) != 1 {
		t.Errorf("got marks %v", marks)
	}
	tests := []struct {
		name, in string
		want     []Part
		whole    bool
	}{
		{"text", "x", []Part{{Text: "x"}}, true},
		{"nothing", "", nil, true},
		{"two in text", "x" + a + a + "y", []Part{{Text: "x"}, {Secret: "A"}, {Secret: "A"}, {Text: "y"}}, true},
		{"cut at the end", a[:len(a)-1], []Part{{Text: a[:len(a)-1]}}, false},
		{"cut at the start", a[1:] + a, []Part{{Text: a[1:]}, {Secret: "A"}}, false},
		{"of another load", newPlaceholders().value("A").GoString(), nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, whole := p.split(tt.in)
			if diff := cmp.Diff(tt.want, got.Parts); whole != tt.whole || tt.want != nil && diff != "" {
				t.Errorf("whole is %v\n%s", whole, diff)
			}
		})
	}
}
