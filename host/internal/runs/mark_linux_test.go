package runs

import (
	"fmt"
	"os"
	"testing"
)

func TestAMarkIsGoneOnlyIfItsProcessIs(t *testing.T) {
	if mark := Mark(); MarkGone(mark) {
		t.Errorf("this process, %s, is gone", mark)
	}
	cases := []struct {
		name, mark string
		gone       bool
	}{
		{"a pid that somebody else has now", fmt.Sprintf("%s.%d.1", bootMark(), os.Getpid()), true},
		{"a pid that nobody has", fmt.Sprintf("%s.%d.1", bootMark(), 1<<30), true},
		{"of another boot", fmt.Sprintf("00000000.%d.1", 1<<30), false},
		{"without a start time", fmt.Sprintf("%s.%d", bootMark(), 1<<30), false},
		{"no mark at all", "ABCDEFGH", false},
		{"nothing", "", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := MarkGone(c.mark); got != c.gone {
				t.Errorf("gone: %v", got)
			}
		})
	}
}
