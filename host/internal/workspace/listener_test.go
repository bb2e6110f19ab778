package workspace

import (
	"strings"
	"testing"
)

// TestAReportIsFoundHoweverItIsCut feeds a step's output in pieces of every size.
func TestAReportIsFoundHoweverItIsCut(t *testing.T) {
	const word = "sandlot-0123"
	stream := "out sandlot-0 \x00 sandlot-012" + word + "a 0\n/d\n" + word + "bexport A='1'\n" + word + "c/d\n" + word + "bexport A='1'\n" + word + "d\n" + "later"
	for size := 1; size <= len(stream); size++ {
		var out strings.Builder
		l := &listener{out: func(p []byte) { out.Write(p) }, long: true}
		done := l.expect(word)
		for rest := stream; rest != ""; {
			n := min(size, len(rest))
			_, _ = l.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		l.drain()
		r := <-done
		if r.code != 0 || r.state == nil || r.state.dir != "/d" || r.state.exports != "export A='1'\n" || out.String() != "out sandlot-0 \x00 sandlot-012later" {
			t.Fatalf("in pieces of %d: %+v, %q", size, r, out.String())
		}
	}
}

func TestAReportThatSomethingPrintedIntoIsNotTrusted(t *testing.T) {
	const word = "sandlot-0123"
	for _, stream := range []string{
		word + "a 0\n/d\n" + word + "bexport A='1'\nrm -rf x\n" + word + "c/d\n" + word + "bexport A='1'\n" + word + "d\n",
		word + "a 0\nx/d\n" + word + "b" + word + "c/d\n" + word + "b" + word + "d\n",
		word + "a 0\n" + word + "d\n",
	} {
		l := &listener{out: func([]byte) {}, long: true}
		done := l.expect(word)
		_, _ = l.Write([]byte(stream))
		if r := <-done; r.code != 0 || r.state != nil {
			t.Errorf("%q: %+v", stream, r.state)
		}
	}
}

func TestAStateThatIsTooLongIsGivenUpAndIsNoOutput(t *testing.T) {
	const word = "sandlot-0123"
	var out strings.Builder
	l := &listener{out: func(p []byte) { out.Write(p) }, long: true}
	done := l.expect(word)
	_, _ = l.Write([]byte("before" + word + "a 0\n"))
	for range 3 * maxState / 1024 {
		_, _ = l.Write([]byte(strings.Repeat("x", 1024)))
		if len(l.buf) > 3*maxState {
			t.Fatalf("%d bytes are kept", len(l.buf))
		}
	}
	_, _ = l.Write([]byte("x" + word))
	_, _ = l.Write([]byte("d\nlater"))
	if r := <-done; r.code != 0 || r.state != nil {
		t.Errorf("%+v", r)
	}
	next := l.expect("sandlot-4567")
	_, _ = l.Write([]byte(" sandlot-4567a 0\n/d\nsandlot-4567bsandlot-4567c/d\nsandlot-4567bsandlot-4567d\n"))
	if r := <-next; r.state == nil || r.state.dir != "/d" {
		t.Errorf("the report after it: %+v", r)
	}
	if out.String() != "beforelater " {
		t.Errorf("%d bytes of output, beginning with %.40q; want %q", out.Len(), out.String(), "beforelater ")
	}
}
