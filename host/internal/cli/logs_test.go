package cli

import (
	"strings"
	"testing"
)

// TestRawOutputDoesNotCommandATerminal has the bytes come in pieces of each size.
func TestRawOutputDoesNotCommandATerminal(t *testing.T) {
	const text = "wörld 日本 \x1b[2J\r\n\xff 🙂 end"
	const want = "wörld 日本 \uFFFD[2J\uFFFD\n\uFFFD 🙂 end"
	for size := 1; size <= len(text); size++ {
		var out strings.Builder
		w := &terminalWriter{to: &out}
		for rest := text; rest != ""; {
			piece := rest[:min(size, len(rest))]
			if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Fatalf("write: %d, %v", n, err)
			}
			rest = rest[len(piece):]
		}
		if out.String() != want {
			t.Errorf("in pieces of %d: %q, want %q", size, out.String(), want)
		}
	}
}
