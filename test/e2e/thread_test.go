//go:build linux

package e2e

import (
	"fmt"
	"strings"
	"testing"
)

func TestASecondRunOnAThreadIsRefusedAndToldWhichHoldsIt(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	first := s.start("run", "--json", "--thread", "one", "--run-id", "first", "say started\nsleep 1h")
	first.await("started")
	r := s.run("run", "--thread", "one", "say no").want(t, 1)
	if !strings.Contains(r.stderr, "first") || !strings.Contains(r.stderr, "sandlot cancel first") {
		t.Errorf("the refusal says %q", r.stderr)
	}
	s.run("cancel", "first").want(t, 0)
	first.ends().want(t, 4)
	s.run("run", "--thread", "one", "say yes").want(t, 0)
}

func TestTwoRunsAtOnceOnANewThreadGiveOneRun(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	var all []*started
	for i := range 4 {
		all = append(all, s.start("run", "--thread", "one", "--run-id", fmt.Sprint("r", i), "say started\nsleep 1s"))
	}
	codes := map[int]int{}
	for _, r := range all {
		codes[r.ends().code]++
	}
	if codes[0] != 1 || codes[1] != 3 {
		t.Errorf("exit codes %v, want one 0 and three 1", codes)
	}
}

func TestEightThreadsAtOnceWork(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	var all []*started
	var words []string
	for i := range 8 {
		words = append(words, word())
		all = append(all, s.start("run", "--json", "--thread", fmt.Sprint("t", i), "write f: "+words[i]+"\nrun cat f\nsay "+words[i]))
	}
	for i, r := range all {
		events := r.ends().want(t, 0).events(t)
		said := text(events)
		if !strings.Contains(said, words[i]) {
			t.Errorf("thread %d said %q", i, said)
		}
		for j, other := range words {
			if j != i && strings.Contains(r.stdout.String(), other) {
				t.Errorf("thread %d shows what thread %d wrote", i, j)
			}
		}
	}
	if n := len(s.roots()); n != 8 {
		t.Errorf("8 threads have %d sandboxes", n)
	}
}
