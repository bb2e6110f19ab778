//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// tokens is how often each piece of text of the capture is said, so that a
// message is as long as an answer is.
const tokens = 60

// talk is a conversation of Claude Code made of a captured one: its messages
// again and again, each time with ids of its own and with more text.
type talk struct {
	first, last []byte // lines
	round       []byte // lines in between, "#" where a number goes
	lines       int    // of a round
}

// talkFrom reads a capture with partial messages.
func talkFrom(file string) (talk, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return talk{}, fmt.Errorf("read capture: %w (the benchmark is started in the repository, or with -capture)", err)
	}
	var t talk
	var text string // of the block that is streamed
	for line := range bytes.Lines(data) {
		kind, err := kindOf(line)
		if err != nil {
			return talk{}, err
		}
		switch {
		case kind.Subtype == "init":
			t.first = line
			continue
		case kind.Type == "result":
			t.last = line
			continue
		}
		line = numbered(line)
		times := 1
		switch {
		case kind.Event.Type == "content_block_start":
			text = ""
		case kind.Event.Delta.Type == "text_delta":
			times = tokens
			text += strings.Repeat(kind.Event.Delta.Text, tokens)
		case kind.said() != "":
			line = bytes.Replace(line, quoted(kind.said()), quoted(text), 1)
		}
		t.round = append(t.round, bytes.Repeat(line, times)...)
		t.lines += times
	}
	if t.first == nil || t.last == nil || t.lines < tokens {
		return talk{}, errors.New("read capture: it holds no whole conversation with partial messages")
	}
	return t, nil
}

// kind is what a line is of.
type kind struct {
	Type, Subtype string
	Event         struct {
		Type  string
		Delta struct{ Type, Text string }
	}
	Message struct {
		Content json.RawMessage
	}
}

// said is the text of a whole block.
func (k kind) said() string {
	var blocks []struct{ Type, Text string }
	if k.Type != "assistant" || json.Unmarshal(k.Message.Content, &blocks) != nil || len(blocks) != 1 {
		return ""
	}
	return blocks[0].Text
}

func kindOf(line []byte) (k kind, err error) {
	if err = json.Unmarshal(line, &k); err != nil {
		err = fmt.Errorf("read capture: %w", err)
	}
	return k, err
}

func quoted(text string) []byte {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always encodes
	}
	return data
}

// numbered makes the ids of messages and tool calls such that a number goes into
// them.
func numbered(line []byte) []byte {
	line = bytes.ReplaceAll(line, []byte("#"), []byte("-"))
	for _, prefix := range []string{`"msg_`, `"toolu_`} {
		line = bytes.ReplaceAll(line, []byte(prefix), []byte(prefix+"#"))
	}
	return line
}

// write says at least so many lines, the first and the last one included.
func (t talk) write(w io.Writer, lines int) error {
	out := bufio.NewWriterSize(w, 64<<10) // a write of the CLI's is a message; ours mustn't be the limit
	_, err := out.Write(t.first)
	for i := 0; i < t.rounds(lines) && err == nil; i++ {
		_, err = out.Write(bytes.ReplaceAll(t.round, []byte("#"), strconv.AppendInt(nil, int64(i), 10)))
	}
	if err == nil {
		_, err = out.Write(t.last)
	}
	return errors.Join(err, out.Flush())
}

func (t talk) rounds(lines int) int { return max(1, (lines-2)/t.lines) }

// count is how many lines write writes.
func (t talk) count(lines int) int { return 2 + t.rounds(lines)*t.lines }
