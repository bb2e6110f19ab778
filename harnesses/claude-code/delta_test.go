package main

import (
	"bytes"
	"path/filepath"
	"testing"
)

// slowDelta reads a delta by encoding/json.
func slowDelta(line []byte) (delta, bool) {
	l, ok := parse(line)
	if !ok || l.Type != "stream_event" || l.Event.Type != "content_block_delta" {
		return delta{}, false
	}
	d := l.Event.Delta
	return delta{parent: l.Parent, index: l.Event.Index, kind: d.Type, text: d.Text + d.Thinking + d.PartialJSON}, true
}

func TestTheFastWaySaysWhatTheSlowOneSays(t *testing.T) {
	names, err := filepath.Glob("testdata/*.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	deltas, fast := 0, 0
	for _, name := range names {
		for line := range bytes.Lines(readFile(t, name)) {
			line = bytes.TrimSpace(line)
			want, isDelta := slowDelta(line)
			got, ok := fastDelta(line)
			if ok && (!isDelta || got != want) {
				t.Errorf("%s: %+v, want %+v", line, got, want)
			}
			if isDelta {
				deltas++
			}
			if ok {
				fast++
			}
		}
	}
	if fast == 0 || fast != deltas {
		t.Errorf("the fast way took %d of %d deltas", fast, deltas)
	}
}

func FuzzDelta(f *testing.F) {
	for _, line := range []string{
		`{"type":"stream_event","event":{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"a\n\u00e9\ud83d\ude00b"}},"parent_tool_use_id":"toolu_1","n":12}`,
		`{"event":{"delta":{"partial_json":"{\"a\"","type":"input_json_delta"},"index":0,"type":"content_block_delta"},"type":"stream_event"}`,
		`{"type":"stream_event","event":{"type":"content_block_delta","index":01,"delta":{"type":"text_delta","text":"\x"}}}`,
		`{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"half`,
		`{"type":"stream_event","event":{"type":"content_block_delta","delta":{}},}`,
		`{"type":"assistant","event":{}}`,
		`{"type":"stream_event","Type":"assistant","event":{"type":"content_block_delta","delta":{"text":"a"}}}`,
		`{"type":"stream_event","event":{"type":"content_block_delta","delta":{"text":"a","TEXT":"b"}}}`,
		`{"type":"stream_event","event":{"type":"content_block_delta","delta":{"text":"a","\u0074ext":"b"}}}`,
		`{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"a","type":null,"text":"a"}},"parent_tool_use_id":"p","parent_tool_use_id":null}`,
		`{"type":"stream_event","event":{"type":"content_block_delta","delta":{"text":"a","text":null,"thinking":"b"},"delta":{}}}`,
		`{"type":"stream_event","event":{"type":"content_block_delta","index":1,"delta":{"text":"a"}},"event":{"type":"ping"}}`,
		`{"type":"stream_event","event":{"type":"content_block_delta","index":1},"event":{"delta":{"text":"a"}}}`,
		"{\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_delta\",\"delta\":{\"text\":\"0123456789\x1f0123456789\"}}}",
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		got, ok := fastDelta(bytes.ToValidUTF8(line, []byte("\uFFFD")))
		if !ok {
			return
		}
		want, isDelta := slowDelta(bytes.ToValidUTF8(line, []byte("\uFFFD")))
		if !isDelta || got != want {
			t.Errorf("%q: %+v, want %+v (%v)", line, got, want, isDelta)
		}
	})
}
