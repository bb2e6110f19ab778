package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// asAgent makes the test binary be the agent, so that the tests cross a real
// process boundary.
const asAgent = "DEMO_AGENT_TEST_AS_AGENT"

func TestMain(m *testing.M) {
	if os.Getenv(asAgent) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// line is one message of the agent.
type line struct {
	ID     json.RawMessage
	Method string
	Params struct {
		SessionID string
		Update    struct {
			SessionUpdate string
			Content       json.RawMessage
			ToolCallID    string `json:"toolCallId"`
			Title         string
			Kind, Status  string
			RawInput      map[string]any
			RawOutput     map[string]any
			Entries       []planEntry
			Used, Size    int
		}
		ToolCall struct {
			ToolCallID string `json:"toolCallId"`
			Title      string
			Kind       string
			RawInput   map[string]any
		}
		Options []permissionOption
	}
	Result struct {
		SessionID  string
		StopReason string
		Usage      *usage
	}
	Error *rpcError
	raw   string
}

// text is the text of a chunk, or of a tool call's first piece of output.
func (l line) text() string {
	var one text
	if json.Unmarshal(l.Params.Update.Content, &one) == nil {
		return one.Text
	}
	var many []toolContent
	if json.Unmarshal(l.Params.Update.Content, &many) == nil && len(many) > 0 && many[0].Content != nil {
		return many[0].Content.Text
	}
	return ""
}

// peer drives an agent process with raw lines.
type peer struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan line
	stderr *syncBuffer
}

func startAgent(t *testing.T, env ...string) *peer {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{t: t, cmd: exec.CommandContext(t.Context(), self), lines: make(chan line, 1<<16), stderr: &syncBuffer{}}
	p.cmd.Env = append(append(os.Environ(), asAgent+"=1"), env...)
	p.cmd.Stderr = p.stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.collect(out)
	return p
}

func (p *peer) collect(out io.Reader) {
	defer close(p.lines)
	for r := bufio.NewReader(out); ; {
		raw, err := r.ReadBytes('\n')
		if len(raw) > 0 {
			var l line
			if err := json.Unmarshal(raw, &l); err != nil {
				p.t.Errorf("decode line of the agent: %v: %.200s", err, raw)
			}
			l.raw = string(raw)
			p.lines <- l
		}
		if err != nil {
			return
		}
	}
}

// send writes one message; v is a string with raw JSON or something to encode.
func (p *peer) send(v any) {
	p.t.Helper()
	raw, ok := v.(string)
	if !ok {
		b, err := json.Marshal(v)
		if err != nil {
			p.t.Fatal(err)
		}
		raw = string(b)
	}
	if _, err := io.WriteString(p.in, raw+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) request(id, method string, params any) {
	p.t.Helper()
	p.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

// until reads lines up to the first that want accepts and returns all of them.
func (p *peer) until(want func(line) bool) []line {
	p.t.Helper()
	var got []line
	deadline := time.After(patience)
	for {
		select {
		case l, ok := <-p.lines:
			if !ok {
				p.t.Fatalf("the agent's output ended after %d lines; stderr: %s", len(got), p.stderr)
			}
			if got = append(got, l); want(l) {
				return got
			}
		case <-deadline:
			p.t.Fatalf("waited %v; %d lines so far", patience, len(got))
		}
	}
}

func answerTo(id string) func(line) bool {
	return func(l line) bool { return string(l.ID) == `"`+id+`"` && l.Method == "" }
}

func asksPermission(l line) bool { return l.Method == "session/request_permission" }

// session opens one in a folder and returns its id.
func (p *peer) session(cwd string) string {
	p.t.Helper()
	p.request("new", "session/new", map[string]any{"cwd": cwd, "mcpServers": []any{}})
	got := p.until(answerTo("new"))
	answer := got[len(got)-1]
	if answer.Error != nil {
		p.t.Fatal(answer.Error)
	}
	return answer.Result.SessionID
}

// prompt starts a turn with these lines.
func (p *peer) prompt(session string, lines ...string) {
	p.t.Helper()
	p.request("prompt", "session/prompt", map[string]any{
		"sessionId": session,
		"prompt":    []any{map[string]any{"type": "text", "text": strings.Join(lines, "\n")}},
	})
}

// turn plays a whole turn: what came during it and its answer.
func (p *peer) turn(session string, lines ...string) ([]line, line) {
	p.t.Helper()
	p.prompt(session, lines...)
	got := p.until(answerTo("prompt"))
	return got[:len(got)-1], got[len(got)-1]
}

func (p *peer) cancel(session string) {
	p.t.Helper()
	p.send(map[string]any{"jsonrpc": "2.0", "method": "session/cancel", "params": map[string]any{"sessionId": session}})
}

// exit waits for the process and returns how it ended.
func (p *peer) exit() *os.ProcessState {
	p.t.Helper()
	timer := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	for range p.lines { // Wait closes the pipe, so it is read first
	}
	var failed *exec.ExitError
	if err := p.cmd.Wait(); err != nil && !errors.As(err, &failed) {
		p.t.Fatal(err)
	}
	return p.cmd.ProcessState
}

// said is the agent's whole message among lines.
func said(lines []line) string { return joined(lines, chunkMessage) }

func joined(lines []line, kind string) string {
	var b strings.Builder
	for _, l := range lines {
		if l.Params.Update.SessionUpdate == kind {
			b.WriteString(l.text())
		}
	}
	return b.String()
}

// eventually polls until ok holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ticks := time.NewTicker(10 * time.Millisecond)
	defer ticks.Stop()
	for end := time.Now().Add(patience); !ok(); <-ticks.C {
		if time.Now().After(end) {
			t.Fatalf("waited %v for: %s", patience, what)
		}
	}
}

// syncBuffer is a buffer that one goroutine fills while another looks.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
