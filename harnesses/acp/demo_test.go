package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/harnesstest"
)

// scratch is a folder of this test run.
var scratch string

func TestMain(m *testing.M) { os.Exit(inScratch(m.Run)) }

func inScratch(run func() int) int {
	dir, err := os.MkdirTemp("", "acp-test-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	scratch = dir
	return run()
}

// demoAgent builds the demo agent, a real ACP agent without a model.
var demoAgent = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "sandlot-demo-agent")
	build := exec.Command("go", "build", "-trimpath", "-o", path, "../../examples/demo-agent")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build demo agent: %w\n%s", err, out)
	}
	return path, nil
})

// demo is a script with the demo agent, over the wire.
func demo(t *testing.T, c config, prompt ...string) harnesstest.Script {
	t.Helper()
	path, err := demoAgent()
	if err != nil {
		t.Fatal(err)
	}
	c.Command = []string{path}
	return harnesstest.Script{
		Open: harnesstest.Pipe(t, &acp{config: c}),
		Start: harness.Start{
			Run: "run", Prompt: strings.Join(prompt, "\n"),
			Workspace: harness.Workspace{Root: t.TempDir(), StateDir: t.TempDir()},
		},
	}
}

func run(t *testing.T, s harnesstest.Script) *harnesstest.Outcome {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	out, err := s.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	events, err := out.Events()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range harnesstest.Order(events) {
		t.Errorf("order of events: %s", p)
	}
	return out
}

// text joins what the agent said.
func text(t *testing.T, out *harnesstest.Outcome) string {
	t.Helper()
	events, err := out.Events()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range events {
		if e, ok := e.(agui.TextMessageContent); ok {
			b.WriteString(e.Delta)
		}
	}
	return b.String()
}

func TestDemoAgentWorks(t *testing.T) {
	s := demo(t, config{}, "plan look; write", "think hm", "write a/hello.txt: Hello 你", "run echo out", "usage 12 34", "unknown-update", "say done")
	out := run(t, s)
	if out.Result.Reason != harness.ReasonOK || out.Killed || out.Exit.Code != 0 {
		t.Errorf("result %+v, killed %v, exit %+v; want an agent that ends by itself", out.Result, out.Killed, out.Exit)
	}
	got, err := os.ReadFile(filepath.Join(s.Start.Workspace.Root, "a", "hello.txt"))
	if err != nil || string(got) != "Hello 你\n" {
		t.Errorf("file %q, %v", got, err)
	}
	if u := out.Result.Usage; u.Input != 12 || u.Output != 34 {
		t.Errorf("usage %+v, want 12 and 34", u)
	}
	if !strings.Contains(text(t, out), "done") {
		t.Errorf("text %q, want it to say done", text(t, out))
	}
	all := strings.Join(brief(decode(t, out)), "\n")
	for _, want := range []string{"custom plan ", "reasoning message ", "call start ", "raw "} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	harnesstest.Replay(t, s.Open, s.Start, out.Stdout, harnesstest.Options{Slices: 2})
}

func decode(t *testing.T, out *harnesstest.Outcome) []agui.Event {
	t.Helper()
	events, err := out.Events()
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func TestDemoAgentAsks(t *testing.T) {
	for _, c := range []struct {
		name  string
		allow bool
		line  string
		want  harness.Ask
	}{
		{"allowed file", true, "ask write x.txt: x", harness.Ask{Kind: harness.AskFileWrite, Target: "x.txt"}},
		{"denied file", false, "ask write x.txt: x", harness.Ask{Kind: harness.AskFileWrite, Target: "x.txt"}},
		{"allowed command", true, "ask run touch x.txt", harness.Ask{Kind: harness.AskCommand, Target: "touch x.txt"}},
		{"denied command", false, "ask run touch x.txt", harness.Ask{Kind: harness.AskCommand, Target: "touch x.txt"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := demo(t, config{}, c.line, "say after")
			s.Decide = func(*harness.Ask) *harness.Decision { return &harness.Decision{Allow: c.allow, Reason: "test"} }
			out := run(t, s)
			if len(out.Asks) != 1 || out.Asks[0].Kind != c.want.Kind || !strings.HasSuffix(out.Asks[0].Target, c.want.Target) {
				t.Fatalf("asks %+v, want %s %s", out.Asks, c.want.Kind, c.want.Target)
			}
			_, err := os.Stat(filepath.Join(s.Start.Workspace.Root, "x.txt"))
			if made := err == nil; made != c.allow {
				t.Errorf("file made: %v, allowed: %v", made, c.allow)
			}
		})
	}
}

func TestDemoAgentEndings(t *testing.T) {
	for _, c := range []struct {
		name    string
		prompt  string
		reason  harness.Reason
		mention string
		killed  bool
	}{
		{"refusal", "refuse", harness.ReasonRefused, "refused", false},
		{"token limit", "max-tokens", harness.ReasonTruncated, "token limit", false},
		{"turn limit", "max-turns", harness.ReasonMaxTurns, "requests", false},
		{"error", "error 429 slow down", harness.ReasonRateLimited, "slow down", false},
		{"exit without an answer", "stderr oh no\nexit 3", harness.ReasonCrashed, "oh no", false},
		{"crash", "crash", harness.ReasonCrashed, "panic", false},
		{"an agent that outstays its input", "ignore-eof\nsay hi", harness.ReasonOK, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := demo(t, config{}, c.prompt)
			if c.killed {
				s.AfterResult = 100 * time.Millisecond
			}
			out := run(t, s)
			if out.Result.Reason != c.reason || !strings.Contains(out.Result.Message, c.mention) || out.Killed != c.killed {
				t.Errorf("result %+v, killed %v; want %s and %q", out.Result, out.Killed, c.reason, c.mention)
			}
		})
	}
}

func TestDemoAgentIsCanceled(t *testing.T) {
	s := demo(t, config{}, "say before", "sleep 1m", "say after")
	s.Cancel = func(r *harnesstest.Record) bool {
		return strings.Contains(string(joined(r.Payloads)), "before")
	}
	began := time.Now()
	out := run(t, s)
	if out.Result.Reason != harness.ReasonCanceled || out.Killed || time.Since(began) > 30*time.Second {
		t.Errorf("result %+v, killed %v, took %s; want an agent that stops by itself", out.Result, out.Killed, time.Since(began))
	}
	if strings.Contains(text(t, out), "after") {
		t.Errorf("the agent went on: %s", text(t, out))
	}
}

func joined(parts [][]byte) []byte {
	var out []byte
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func TestDemoAgentNeedsAuthentication(t *testing.T) {
	for _, c := range []struct {
		method  string
		reason  harness.Reason
		mention string
	}{
		{"demo", harness.ReasonOK, ""},
		{"", harness.ReasonBadKey, "Authentication required"},
		{"other", harness.ReasonBadKey, "it offers demo"},
	} {
		s := demo(t, config{AuthMethod: c.method}, "say hi")
		s.Env = map[string]string{"DEMO_AGENT_REQUIRE_AUTH": "1"}
		if r := run(t, s).Result; r.Reason != c.reason || !strings.Contains(r.Message, c.mention) {
			t.Errorf("auth method %q: result %+v, want %s and %q", c.method, r, c.reason, c.mention)
		}
	}
}

func TestDemoAgentResumes(t *testing.T) {
	home := map[string]string{"DEMO_AGENT_HOME": t.TempDir()}
	first := demo(t, config{Mode: "auto"}, "say the first answer")
	first.Env = home
	session := run(t, first).Result.Session

	second := demo(t, config{}, "say the second answer")
	second.Env, second.Start.Session = home, session
	out := run(t, second)
	if diff := cmp.Diff("the second answer", strings.TrimSpace(text(t, out))); diff != "" || out.Result.Session != session {
		t.Errorf("session %q, want %q; text (-want +got):\n%s", out.Result.Session, session, diff)
	}
	if !strings.Contains(string(out.Stdout), "the first answer") {
		t.Errorf("the agent replayed nothing, so that nothing was suppressed")
	}

	third := demo(t, config{}, "say the third answer")
	third.Env, third.Start.Session = home, "demo-unknown"
	out = run(t, third)
	if got := strings.Join(brief(decode(t, out)), "\n"); out.Result.Reason != harness.ReasonOK || !strings.Contains(got, "session_not_resumed") {
		t.Errorf("result %+v, events\n%s\nwant a new session and a warning", out.Result, got)
	}
}

func TestDemoAgentPrintsMuch(t *testing.T) {
	out := run(t, demo(t, config{}, "spam 20000", "line 8MiB"))
	if got := len(text(t, out)); out.Result.Reason != harness.ReasonOK || got < 8<<20 {
		t.Errorf("result %+v, %d bytes of text", out.Result, got)
	}
}
