package process

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLinesAreCutAndReadToTheEnd(t *testing.T) {
	long := strings.Repeat("x", 3*maxLine)
	cases := []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"lines, the last without its end", "a\nb\r\n\nc", []string{"a", "b", "", "c"}},
		{"a line that is too long, and one after it", long + "END\nnext\n", []string{long[:maxLine] + cutMark, "next"}},
		{"a line that is too long and has no end", long, []string{long[:maxLine] + cutMark}},
		{"a line that is cut inside of a secret", long[:maxLine-3] + "hunter2\nnext\n", []string{long[:maxLine-3] + "***" + cutMark, "next"}},
		{"a line as long as the limit", long[:maxLine-1] + "\nnext", []string{long[:maxLine-1], "next"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			readLines(strings.NewReader(c.in), cleaner, func(line []byte) { got = append(got, string(line)) })
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%.300s", diff)
			}
		})
	}
}

// cleaner knows one secret, of which a cut leaves three letters.
func cleaner(b []byte) []byte {
	if whole, ok := bytes.CutSuffix(b, []byte("hun")); ok {
		return append(bytes.Clone(whole), "***"...)
	}
	return b
}

func TestTailKeepsWhatIsWorthTelling(t *testing.T) {
	tail := func(lines ...string) *Tail {
		var t Tail
		for _, line := range lines {
			t.add([]byte(line))
		}
		return &t
	}
	trace := make([]string, 0, 5000)
	for i := range 5000 {
		trace = append(trace, fmt.Sprintf("\t/src/file.go:%d", i))
	}
	cases := []struct {
		name              string
		tail              *Tail
		line, last, panic string
	}{
		{"nothing", tail(), "", "", ""},
		{"the last line", tail("one", "two"), "two", "one", ""},
		{"the message of a log line", tail(`{"@level":"error","@message":"connect","error":"refused"}`), "connect: refused", "connect", ""},
		{"the head of a panic, however long its trace", tail(append([]string{"before", "panic: boom", "", "goroutine 1 [running]:"}, trace...)...), "panic: boom", "file.go:4999", "goroutine 1"},
		{"a fatal error", tail("fatal error: stack overflow", "more"), "fatal error: stack overflow", "more", "more"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := c.tail.Line(); got != c.line {
				t.Errorf("line: got %q, want %q", got, c.line)
			}
			if got := c.tail.Last(); !strings.Contains(got, c.last) {
				t.Errorf("last: %q isn't in %.200q", c.last, got)
			}
			if got := c.tail.Panic(); !strings.Contains(got, c.panic) || (c.panic == "") != (got == "") {
				t.Errorf("panic: %q isn't in %.200q", c.panic, got)
			}
		})
	}
	big := tail(trace...)
	if got := big.Last(); len(got) > maxTail || !strings.HasSuffix(got, ":4999\n") {
		t.Errorf("got %d bytes, end %q", len(got), got[len(got)-20:])
	}
}

func TestFirstKeepsTheBeginning(t *testing.T) {
	var f First
	for range 100 {
		if n, err := f.Write(bytes.Repeat([]byte("y"), 100)); n != 100 || err != nil {
			t.Fatal(n, err)
		}
	}
	if n := len(f.Bytes()); n != maxFirst {
		t.Errorf("kept %d bytes", n)
	}
}
