package main

import (
	"context"
	"strings"
	"testing"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// sink takes what a harness sends.
type sink struct{}

func (sink) Recv(context.Context) (harness.ToHarness, error) {
	return &harness.Start{Run: "r", Prompt: "p", Policy: free()}, nil
}
func (sink) Send(context.Context, harness.FromHarness) error { return nil }

// BenchmarkDeltas is how fast text that is streamed gets through: one operation
// is one line.
func BenchmarkDeltas(b *testing.B) {
	s, err := harness.Open(b.Context(), sink{})
	if err != nil {
		b.Fatal(err)
	}
	t := newTurn(s, config{})
	t.line([]byte(`{"type":"stream_event","event":{"type":"message_start","message":{"id":"m"}}}`))
	t.line([]byte(`{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}}`))
	line := []byte(`{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` +
		strings.Repeat("word ", 4) + `"}},"session_id":"689a283e-b8e8-4b71-a349-7a8711e50859","parent_tool_use_id":null,` +
		`"uuid":"741417d7-3159-4907-9d12-e02de669b66c","api_message_id":"msg_0a86b0be5a5a411792f387a0"}`)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		t.line(line)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
