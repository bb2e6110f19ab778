package workspace

import (
	"bytes"
	"strconv"
	"sync"
)

// state is what a step leaves to the next one: its folder and its exported
// variables, as the shell itself writes them down.
type state struct {
	dir     string
	exports string // empty: those that every command gets
}

// report is what the shell said about the end of a step.
type report struct {
	code  int
	state *state // of a step that succeeded; nil where it can't be told
}

// maxState is the longest state that is kept, in bytes.
const maxState = 1 << 20

// listener takes apart what the shell writes to stdout: output of a step, and
// after a word that nobody can guess, the shell's own report. The report is
//
//	WORDa CODE newline
//	folder newline WORDb variables WORDc folder newline WORDb variables WORDd newline
//
// where the second line is there after a success only. It holds the state twice:
// what a step left running may print in between, and then the two differ. On
// stderr the report is its first line.
type listener struct {
	out  func([]byte)
	long bool // the report has a second line

	mu     sync.Mutex
	word   string // empty: no step runs
	inside bool   // of a report
	lost   bool   // its state is too long to be kept
	buf    []byte
	done   chan report // of the step that runs
}

// expect tells the word that will end the step which is about to start.
func (l *listener) expect(word string) <-chan report {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.word, l.done = word, make(chan report, 1)
	return l.done
}

// Write implements io.Writer.
func (l *listener) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf = append(l.buf, p...)
	for l.step() {
	}
	return len(p), nil
}

// step makes sense of the beginning of buf, and reports whether there may be more.
func (l *listener) step() bool {
	if l.word == "" {
		l.give(len(l.buf))
		return false
	}
	begin := []byte(l.word + "a ")
	if !l.inside {
		at := bytes.Index(l.buf, begin)
		if at < 0 {
			l.give(len(l.buf) - unfinished(l.buf, begin))
			return false
		}
		l.give(at)
		l.inside = true
	}
	head, rest, ok := bytes.Cut(l.buf[len(begin):], []byte("\n"))
	if !ok {
		return false
	}
	code, err := strconv.Atoi(string(head))
	if err != nil {
		code = -1
	}
	r := report{code: code}
	if code == 0 && l.long {
		body, after, ok := bytes.Cut(rest, []byte(l.word+"d\n"))
		if !ok {
			if l.lost = l.lost || len(rest) >= 2*maxState; l.lost {
				// Its end must be awaited all the same: the rest would pass for
				// output of the next step.
				kept := unfinished(rest, []byte(l.word+"d\n"))
				l.buf = append(bytes.Clone(l.buf[:len(l.buf)-len(rest)]), rest[len(rest)-kept:]...)
			}
			return false
		}
		if !l.lost {
			r.state = l.parse(body)
		}
		rest = after
	}
	l.buf = bytes.Clone(rest)
	l.word, l.inside, l.lost = "", false, false
	l.done <- r
	return true
}

func (l *listener) parse(body []byte) *state {
	one, two, ok := bytes.Cut(body, []byte(l.word+"c"))
	if !ok || !bytes.Equal(one, two) {
		return nil
	}
	dir, exports, ok := bytes.Cut(one, []byte("\n"+l.word+"b"))
	if !ok {
		return nil
	}
	return &state{dir: string(dir), exports: string(exports)}
}

func (l *listener) give(n int) {
	if n > 0 {
		l.out(l.buf[:n])
	}
	l.buf = append(l.buf[:0], l.buf[n:]...)
}

// drain gives out what was held back, once no more can come.
func (l *listener) drain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.inside {
		l.give(len(l.buf))
	}
	l.word, l.inside, l.lost, l.buf = "", false, false, nil
}

// unfinished is how many bytes at the end of b may be the beginning of mark.
func unfinished(b, mark []byte) int {
	for n := min(len(b), len(mark)-1); n > 0; n-- {
		if bytes.HasSuffix(b, mark[:n]) {
			return n
		}
	}
	return 0
}
