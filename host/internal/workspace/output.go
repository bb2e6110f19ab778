package workspace

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	// flushEvery is how long whole lines are gathered, and flushPartial how long the
	// beginning of one, such as a prompt.
	flushEvery   = 100 * time.Millisecond
	flushPartial = 500 * time.Millisecond
	// pieceMost is the longest text that is given out in one piece, in bytes.
	pieceMost = 16 << 10
	// stepMost is how much of one step's output is given out; the rest is only
	// looked at for its end.
	stepMost = 1 << 20
	// tailMost is how much of the end is kept for the message of a failure.
	tailMost = 2 << 10
)

// Output is a piece of what a setup command printed.
type Output struct {
	Step   int    // from 1, over all setup blocks
	Stream string // "stdout" or "stderr"
	Text   string // scrubbed, valid UTF-8, whole lines where possible
}

// Cleaner takes secrets out of one stream of output, wherever it is cut. What
// Redact returns is valid until the next call; Close returns what is left.
type Cleaner interface {
	Redact(data []byte) []byte
	Close() []byte
}

// plain is the Cleaner where there is nothing to hide.
type plain struct{}

func (plain) Redact(data []byte) []byte { return data }
func (plain) Close() []byte             { return nil }

// outputs makes pieces of text of what the steps print. Both streams may be
// written at once; a piece that isn't taken holds the writer up, never memory.
type outputs struct {
	give  func(Output)
	clean func() Cleaner

	mu      sync.Mutex
	step    int
	streams [2]pending
	given   int // bytes of this step
	dropped int
	tail    []byte
}

// pending is what one stream has printed and nobody has been given.
type pending struct {
	clean Cleaner
	text  []byte
	since time.Time // of its oldest byte
}

var streamNames = [2]string{"stdout", "stderr"}

func newOutputs(give func(Output), clean func() Cleaner) *outputs {
	if give == nil {
		give = func(Output) {}
	}
	if clean == nil {
		clean = func() Cleaner { return plain{} }
	}
	return &outputs{give: give, clean: clean}
}

// begin starts the output of a step, or of another attempt at it.
func (o *outputs) begin(step int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.step, o.given, o.dropped, o.tail = step, 0, 0, nil
	for i := range o.streams {
		o.streams[i] = pending{clean: o.clean()}
	}
}

// write takes output of stream i.
func (o *outputs) write(i int, data []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := &o.streams[i]
	if s.clean == nil {
		return // before the first step
	}
	o.add(i, s.clean.Redact(data))
}

func (o *outputs) add(i int, clean []byte) {
	s := &o.streams[i]
	for len(clean) > 0 {
		n := min(len(clean), pieceMost)
		if len(s.text) == 0 {
			s.since = time.Now()
		}
		s.text, clean = append(s.text, clean[:n]...), clean[n:]
		if len(s.text) >= pieceMost {
			o.flush(i, true)
		}
	}
}

// ticks gives out what was printed, until ctx ends.
func (o *outputs) ticks(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			o.tick()
		}
	}
}

// tick gives out what has waited long enough.
func (o *outputs) tick() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.streams {
		o.flush(i, time.Since(o.streams[i].since) >= flushPartial)
	}
}

// end gives out the rest of a step, and returns its last lines.
func (o *outputs) end() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.streams {
		s := &o.streams[i]
		if s.clean == nil {
			continue
		}
		o.add(i, s.clean.Close())
		o.flush(i, true)
		o.emit(i, s.text) // a rune that was cut off
		*s = pending{clean: o.clean()}
	}
	if o.dropped > 0 {
		o.give(Output{Step: o.step, Stream: "stderr", Text: fmt.Sprintf("[%s more of this step's output aren't shown]\n", size(int64(o.dropped)))})
		o.dropped = 0
	}
	return lastLines(o.tail)
}

// flush gives out the whole lines of a stream, with partial also what comes after
// the last of them, but never half a character.
func (o *outputs) flush(i int, partial bool) {
	s := &o.streams[i]
	n := bytes.LastIndexByte(s.text, '\n') + 1
	if partial && (n == 0 || len(s.text) >= pieceMost && n < pieceMost/2) {
		n = len(s.text) - halfRune(s.text)
	}
	o.emit(i, s.text[:n])
	s.text = append(s.text[:0], s.text[n:]...)
	if len(s.text) > 0 && n > 0 {
		s.since = time.Now()
	}
}

func (o *outputs) emit(i int, text []byte) {
	if len(text) == 0 {
		return
	}
	o.tail = append(o.tail, text...)
	if over := len(o.tail) - tailMost; over > 0 {
		o.tail = append(o.tail[:0], o.tail[over:]...)
	}
	if o.given+len(text) > stepMost {
		o.dropped += len(text)
		return
	}
	o.given += len(text)
	o.give(Output{Step: o.step, Stream: streamNames[i], Text: strings.ToValidUTF8(string(text), "\uFFFD")})
}

// halfRune is how many bytes at the end are the beginning of a character.
func halfRune(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if last := b[len(b)-n]; utf8.RuneStart(last) {
			if utf8.FullRune(b[len(b)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}

// lastLines is the end of some output for a message.
func lastLines(tail []byte) string {
	const most = 15
	text := strings.ToValidUTF8(string(tail), "\uFFFD")
	lines := strings.Split(strings.TrimRight(text, " \t\r\n"), "\n")
	if len(tail) >= tailMost && len(lines) > 1 {
		lines = lines[1:] // the first may be cut
	}
	lines = lines[max(0, len(lines)-most):]
	return strings.Join(lines, "\n")
}
