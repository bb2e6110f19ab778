package main

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

const (
	maxLine       = 64 << 20 // longest line that is read
	maxNoise      = 20       // warnings about lines that aren't messages; the rest is counted
	noiseExcerpt  = 200      // bytes of such a line that are shown
	warnNoise     = "agent_stdout_noise"
	warnLongLines = "line_too_long"
)

// lines cuts what the agent printed into lines and warns of what isn't a message.
type lines struct {
	s     *harness.Session
	rest  []byte // of a line whose end hasn't come
	noisy int
}

// feed calls line for each line that ends in data, without surrounding space.
func (l *lines) feed(data []byte, line func([]byte)) {
	for {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			l.rest = append(l.rest, data...)
			return
		}
		whole := data[:i]
		if len(l.rest) > 0 {
			whole, l.rest = append(l.rest, whole...), nil
		}
		l.one(whole, line)
		data = data[i+1:]
	}
}

// end calls line for a last line without a newline, and sums up.
func (l *lines) end(line func([]byte)) {
	last := l.rest
	l.rest = nil
	l.one(last, line)
	if more := l.noisy - maxNoise; more > 0 {
		l.s.Emit(agui.NewWarning(warnNoise, fmt.Sprintf("%d more lines on stdout weren't messages", more)))
	}
}

func (l *lines) one(text []byte, line func([]byte)) {
	if len(text) > maxLine {
		l.s.Emit(agui.NewWarning(warnLongLines, fmt.Sprintf("the agent printed a line of %d bytes; lines over %d bytes are left out", len(text), maxLine)))
		return
	}
	if text = bytes.TrimSpace(text); len(text) > 0 {
		line(text)
	}
}

// noise reports a line that isn't a message. It is no error: a wrapper script
// or a debug print must not end a run.
func (l *lines) noise(text []byte) {
	l.noisy++
	if l.noisy > maxNoise {
		return
	}
	l.s.Emit(agui.NewWarning(warnNoise, "the agent printed a line that isn't a message: "+excerpt(text, noiseExcerpt)))
}

// excerpt is the start of text, at most limit bytes, cut at a character.
func excerpt(text []byte, limit int) string {
	if len(text) > limit {
		cut := limit
		for cut > limit-utf8.UTFMax && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut]
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}
