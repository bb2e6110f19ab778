package workspace

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func gather(give *[]Output) *outputs {
	o := newOutputs(func(out Output) { *give = append(*give, out) }, nil)
	o.begin(1)
	return o
}

func texts(all []Output, stream string) []string {
	var list []string
	for _, o := range all {
		if o.Stream == stream {
			list = append(list, o.Text)
		}
	}
	return list
}

func TestOutputComesInWholeLinesAndSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []Output
		o := gather(&all)
		o.write(0, []byte("a\nb\nc"))
		o.tick()
		if diff := cmp.Diff([]string{"a\nb\n"}, texts(all, "stdout")); diff != "" {
			t.Error(diff)
		}
		o.write(0, []byte("d"))
		<-time.After(flushPartial - 1)
		o.tick()
		if len(all) != 1 {
			t.Errorf("a line was cut too soon: %+v", all)
		}
		<-time.After(1)
		o.tick()
		o.write(0, []byte("e\n"))
		o.write(1, []byte("err"))
		if last := o.end(); last != "a\nb\ncde\nerr" {
			t.Errorf("the last lines are %q", last)
		}
		if diff := cmp.Diff([]string{"a\nb\n", "cd", "e\n"}, texts(all, "stdout")); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"err"}, texts(all, "stderr")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCharactersAreNotCutApart(t *testing.T) {
	var all []Output
	o := gather(&all)
	for i := range len("aé✓😀\xff") {
		o.write(0, []byte("aé✓😀\xff")[i:i+1])
		o.flush(0, true)
	}
	o.end()
	if got := strings.Join(texts(all, "stdout"), ""); got != "aé✓😀\ufffd" {
		t.Errorf("%q", got)
	}
	for _, o := range all[:len(all)-1] {
		if strings.Contains(o.Text, "\ufffd") {
			t.Errorf("a character was cut: %+v", all)
		}
	}
}

func TestAFloodIsCutAndItsEndKept(t *testing.T) {
	var all []Output
	o := gather(&all)
	line := strings.Repeat("x", 1023) + "\n"
	for range 64 << 10 { // 64 MiB
		o.write(0, []byte(line))
	}
	o.write(0, []byte("last words\n"))
	tail := o.end()
	total := 0
	for _, o := range all {
		total += len(o.Text)
		if len(o.Text) > 2*pieceMost {
			t.Errorf("a piece of %d bytes", len(o.Text))
		}
	}
	if total > stepMost+200 || total < stepMost/2 {
		t.Errorf("%d bytes were given out", total)
	}
	if last := all[len(all)-1].Text; !strings.Contains(last, "66.1 MB more") {
		t.Errorf("what is left out isn't said: %q", last)
	}
	if !strings.HasSuffix(tail, "last words") || len(tail) > tailMost {
		t.Errorf("the end is %q", tail)
	}
	o.begin(2)
	o.write(0, []byte("next\n"))
	o.end()
	if last := all[len(all)-1]; last.Text != "next\n" || last.Step != 2 {
		t.Errorf("the next step's output is lost: %+v", last)
	}
}

// shy hides a word, and keeps back what may be its beginning, as the real one does.
type shy struct{ held string }

func (s *shy) Redact(data []byte) []byte {
	all := strings.ReplaceAll(s.held+string(data), "hunter2", "***")
	s.held = ""
	for n := len("hunter2") - 1; n > 0; n-- {
		if strings.HasSuffix(all, "hunter2"[:n]) {
			s.held = all[len(all)-n:]
			return []byte(all[:len(all)-n])
		}
	}
	return []byte(all)
}

func (s *shy) Close() []byte { return []byte(s.held) }

func TestASecretIsScrubbedHoweverItIsCutAlsoInTheLastLines(t *testing.T) {
	var all []Output
	o := newOutputs(func(out Output) { all = append(all, out) }, func() Cleaner { return &shy{} })
	o.begin(1)
	for _, c := range "key hunter2, hunt\nhunter2 hun" {
		o.write(0, []byte(string(c)))
		o.flush(0, true)
		o.write(1, []byte("h"))
	}
	tail := o.end()
	if got := strings.Join(texts(all, "stdout"), ""); got != "key ***, hunt\n*** hun" {
		t.Errorf("%q", got)
	}
	if strings.Contains(tail, "hunter2") {
		t.Errorf("the last lines hold it: %q", tail)
	}
}
