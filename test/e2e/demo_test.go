//go:build linux

package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// word makes text that no program can have in it by accident.
func word() string { return fmt.Sprintf("w%016x", rand.Uint64()) }

func TestTheDemoDoesWhatAFreshPromptSays(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	said, file, content, echoed := word(), word()+".txt", word(), word()
	prompt := strings.Join([]string{
		"say " + said,
		"write " + file + ": " + content,
		"ask run echo " + echoed,
	}, "\n")
	r := s.run("run", "--json", "--thread", "main", prompt).want(t, 0)
	events := r.events(t)

	if got := strings.TrimSuffix(s.file(file), "\n"); got != content {
		t.Errorf("%s holds %q, want %q", file, got, content)
	}
	if !strings.Contains(text(events), said) {
		t.Errorf("the text lacks %q: %q", said, text(events))
	}
	first, second, last := events[0].Event, events[1].Event, events[len(events)-1].Event
	if first.Type != "RUN_STARTED" || second.Name != "run.accepted" || last.Type != "RUN_FINISHED" {
		t.Errorf("the run has the form %s, %s %s ... %s", first.Type, second.Type, second.Name, last.Type)
	}
	if !strings.Contains(string(second.Value), `"sandbox":"demo"`) {
		t.Errorf("run.accepted doesn't name the block: %s", second.Value)
	}
	var results string
	for _, e := range find(events, "TOOL_CALL_RESULT", "") {
		results += e.Event.Content
	}
	if !strings.Contains(results, echoed) {
		t.Errorf("no tool result holds what the command printed: %q", results)
	}
	decided := find(events, "CUSTOM", "approval.decided")
	if len(decided) != 1 || !strings.Contains(string(decided[0].Event.Value), `"by":"policy"`) ||
		!strings.Contains(string(decided[0].Event.Value), `"kind":"command","target":"`) {
		t.Errorf("the command that the policy allows was decided so: %v", decided)
	}
	starts, ends := find(events, "TOOL_CALL_START", ""), find(events, "TOOL_CALL_END", "")
	if len(starts) < 2 || len(starts) != len(ends) {
		t.Errorf("%d tool calls start, %d end", len(starts), len(ends))
	}
	if len(find(events, "CUSTOM", "acp.session-id")) != 1 {
		t.Error("the session id isn't told once")
	}
}

func TestTextGoesToStdoutAndTheRestToStderr(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	said, file := word(), word()
	r := s.run("run", "say "+said+"\nwrite "+file+": x\nstderr "+word()).want(t, 0)
	if strings.TrimSpace(r.stdout) != said {
		t.Errorf("stdout: %q, want only %q", r.stdout, said)
	}
	if !strings.Contains(r.stderr, file) || strings.Contains(r.stderr, said) {
		t.Errorf("stderr: %q", r.stderr)
	}
}

func TestAThreadKeepsItsSandboxAndAnotherHasItsOwn(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	content := word()
	s.run("run", "--thread", "a", "write f: "+content).want(t, 0)
	again := s.run("run", "-c", "read f").want(t, 0)
	if !strings.Contains(again.stdout+again.stderr, content) {
		t.Errorf("the second run doesn't see the first one's file: %q %q", again.stdout, again.stderr)
	}
	s.run("run", "--thread", "b", "write g: x").want(t, 0)
	if n := len(s.roots()); n != 2 {
		t.Errorf("two threads have %d sandboxes", n)
	}
}

func TestWithoutReuseTheSandboxIsGoneAtTheEnd(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	s.edit("policy   = policy.p", "policy   = policy.p\n  lifecycle { reuse = \"none\" }")
	for _, c := range []struct {
		prompt string
		code   int
	}{{"write f: x", 0}, {"exit 7", 3}} {
		s.run("run", c.prompt).want(t, c.code)
		if left := s.roots(); len(left) > 0 {
			t.Errorf("after %q there is still %v", c.prompt, left)
		}
	}
}

func TestADenyHoldsAlsoWithApproveYes(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	events := s.run("run", "--json", "--approve", "yes", "write keep: x\nask run rm keep\nask run date").want(t, 0).events(t)
	s.file("keep")
	var got []string
	for _, e := range find(events, "CUSTOM", "approval.decided") {
		v := string(e.Event.Value)
		switch {
		case strings.Contains(v, `"decision":"deny"`) && strings.Contains(v, `commands.deny`):
			got = append(got, "denied by rule")
		case strings.Contains(v, `"decision":"allow"`) && strings.Contains(v, `--approve yes`):
			got = append(got, "allowed by flag")
		default:
			got = append(got, v)
		}
	}
	if strings.Join(got, ", ") != "denied by rule, allowed by flag" {
		t.Errorf("decisions: %q", got)
	}
}

func TestApproveNoDeniesWhatWouldBeAsked(t *testing.T) {
	t.Parallel()
	s := newDemo(t)
	events := s.run("run", "--json", "--approve", "no", "ask run git init -q made").want(t, 0).events(t)
	if d := find(events, "CUSTOM", "approval.decided"); len(d) != 1 || !strings.Contains(string(d[0].Event.Value), `"deny"`) {
		t.Errorf("decisions: %v", d)
	}
	if r := find(events, "CUSTOM", "approval.requested"); len(r) != 0 {
		t.Errorf("a person was asked: %v", r)
	}
}

func TestStopReasonsHaveTheirExitCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		prompt, reason string
		code           int
	}{
		{"refuse", "refused", 3},
		{"max-tokens", "truncated", 3},
		{"crash", "crashed", 3},
		{"exit 3", "crashed", 3},
	} {
		t.Run(c.prompt, func(t *testing.T) {
			events := newDemo(t).run("run", "--json", c.prompt).want(t, c.code).events(t)
			last := events[len(events)-1].Event
			if last.Type != "RUN_ERROR" || last.Code != c.reason || last.Message == "" {
				t.Errorf("the run ends with %s %s %q, want RUN_ERROR %s", last.Type, last.Code, last.Message, c.reason)
			}
		})
	}
}
