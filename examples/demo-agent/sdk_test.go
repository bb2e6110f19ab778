package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coder/acp-go-sdk"
	"github.com/google/go-cmp/cmp"
)

// client is an ACP client by somebody else, so that the agent isn't only tested
// against our own reading of the protocol. It has no files and no terminals.
type client struct {
	kind acp.PermissionOptionKind // what it answers permission requests with

	mu    sync.Mutex
	text  strings.Builder
	calls map[acp.ToolCallId]acp.ToolCallStatus
	diffs []string
	asked []string
}

var errUnsupported = errors.New("not supported by this client")

func (c *client) RequestPermission(_ context.Context, req acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, *req.ToolCall.Title)
	for _, o := range req.Options {
		if o.Kind == c.kind {
			return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(o.OptionId)}, nil
		}
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
}

func (c *client) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch u := n.Update; {
	case u.AgentMessageChunk != nil:
		c.text.WriteString(u.AgentMessageChunk.Content.Text.Text)
	case u.ToolCall != nil:
		c.calls[u.ToolCall.ToolCallId] = u.ToolCall.Status
		for _, content := range u.ToolCall.Content {
			if content.Diff != nil {
				c.diffs = append(c.diffs, filepath.Base(content.Diff.Path)+": "+content.Diff.NewText)
			}
		}
	case u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil:
		c.calls[u.ToolCallUpdate.ToolCallId] = *u.ToolCallUpdate.Status
	}
	return nil
}

func (c *client) ReadTextFile(context.Context, acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	return acp.ReadTextFileResponse{}, errUnsupported
}

func (c *client) WriteTextFile(context.Context, acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	return acp.WriteTextFileResponse{}, errUnsupported
}

func (c *client) CreateTerminal(context.Context, acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	return acp.CreateTerminalResponse{}, errUnsupported
}

func (c *client) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return acp.KillTerminalResponse{}, errUnsupported
}

func (c *client) TerminalOutput(context.Context, acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	return acp.TerminalOutputResponse{}, errUnsupported
}

func (c *client) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	return acp.ReleaseTerminalResponse{}, errUnsupported
}

func (c *client) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	return acp.WaitForTerminalExitResponse{}, errUnsupported
}

// connect starts the agent under the client.
func connect(t *testing.T, c *client) *acp.ClientSideConnection {
	t.Helper()
	c.calls = map[acp.ToolCallId]acp.ToolCallStatus{}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), asAgent+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil && t.Context().Err() == nil {
			t.Errorf("the agent ended with %v", err)
		}
	})
	conn := acp.NewClientSideConnection(c, in, out)
	answer, err := conn.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber})
	if err != nil {
		t.Fatal(err)
	}
	if answer.ProtocolVersion != 1 || len(answer.AuthMethods) != 1 || answer.AuthMethods[0].Agent.Id != "demo" {
		t.Errorf("initialize answered %+v", answer)
	}
	return conn
}

func TestUnderAnotherClient(t *testing.T) {
	tests := []struct {
		name   string
		kind   acp.PermissionOptionKind
		made   bool
		said   string
		status acp.ToolCallStatus
		reason acp.StopReason
	}{
		{"allowed", acp.PermissionOptionKindAllowOnce, true, "hi\n`touch made` ended with exit code 0\n", acp.ToolCallStatusCompleted, acp.StopReasonEndTurn},
		{"rejected", acp.PermissionOptionKindRejectOnce, false, "hi\nNot done, since permission was denied: touch made\n", acp.ToolCallStatusFailed, acp.StopReasonEndTurn},
		{"cancelled", "none such", false, "hi\n", acp.ToolCallStatusFailed, acp.StopReasonCancelled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, cwd := &client{kind: tt.kind}, t.TempDir()
			conn := connect(t, c)
			if _, err := conn.Authenticate(t.Context(), acp.AuthenticateRequest{MethodId: "demo"}); err != nil {
				t.Fatal(err)
			}
			s, err := conn.NewSession(t.Context(), acp.NewSessionRequest{Cwd: cwd, McpServers: []acp.McpServer{}})
			if err != nil {
				t.Fatal(err)
			}
			if s.Modes == nil || s.Modes.CurrentModeId != "default" || len(s.Modes.AvailableModes) != 3 {
				t.Errorf("modes: %+v", s.Modes)
			}
			answer, err := conn.Prompt(t.Context(), acp.PromptRequest{SessionId: s.SessionId, Prompt: []acp.ContentBlock{
				acp.TextBlock("say hi\nwrite a.txt: one\nusage 3 4\nplan a; b\nask run touch made"),
			}})
			if err != nil {
				t.Fatal(err)
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			if answer.StopReason != tt.reason || answer.Usage == nil || answer.Usage.TotalTokens != 7 {
				t.Errorf("answered %+v", answer)
			}
			if c.text.String() != tt.said {
				t.Errorf("said %q, want %q", &c.text, tt.said)
			}
			if diff := cmp.Diff([]string{"touch made"}, c.asked); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]string{"a.txt: one\n"}, c.diffs); diff != "" {
				t.Error(diff)
			}
			statuses := map[acp.ToolCallStatus]int{acp.ToolCallStatusCompleted: 1}
			statuses[tt.status]++
			got := map[acp.ToolCallStatus]int{}
			for _, s := range c.calls {
				got[s]++
			}
			if diff := cmp.Diff(statuses, got); diff != "" {
				t.Error(diff)
			}
			if _, err := os.Stat(filepath.Join(cwd, "made")); tt.made != (err == nil) {
				t.Errorf("the command ran: %v, want %v", err == nil, tt.made)
			}
		})
	}
}

func TestAnotherClientCancels(t *testing.T) {
	c := &client{}
	conn := connect(t, c)
	s, err := conn.NewSession(t.Context(), acp.NewSessionRequest{Cwd: t.TempDir(), McpServers: []acp.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan acp.StopReason, 1)
	go func() {
		answer, err := conn.Prompt(t.Context(), acp.PromptRequest{SessionId: s.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("say go\nsleep 10m")}})
		if err != nil {
			t.Errorf("prompt: %v", err)
		}
		done <- answer.StopReason
	}()
	eventually(t, "the turn has begun", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.text.String() == "go\n"
	})
	if err := conn.Cancel(t.Context(), acp.CancelNotification{SessionId: s.SessionId}); err != nil {
		t.Fatal(err)
	}
	if reason := <-done; reason != acp.StopReasonCancelled {
		t.Errorf("stop reason %q", reason)
	}
}
