//go:build linux

package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/test/modelserver"
)

// noLimit has Claude Code send what is over its model's context: it would refuse
// 5 MB before it asked.
const noLimit = `env = { CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE = "100000000" }`

// long is a prompt of that many bytes, of lines that all differ and of every kind
// of character that something on the way might change.
func long(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size-80; i++ {
		fmt.Fprintf(&b, "%d %s 三\t\"quoted\" \\n %% <&> é\u2028\n", i, word())
	}
	b.WriteString(strings.Repeat("x", size-b.Len()))
	return b.String()
}

// said are the texts of a request that the user has written.
func said(t *testing.T, body []byte) (all []string) {
	t.Helper()
	var r struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Messages {
		var text string
		var blocks []struct{ Text string }
		switch {
		case m.Role != "user":
		case json.Unmarshal(m.Content, &text) == nil:
			all = append(all, text)
		case json.Unmarshal(m.Content, &blocks) == nil:
			for _, b := range blocks {
				all = append(all, b.Text)
			}
		}
	}
	return all
}

func TestPromptsOfAnySizeReachClaudesModelWhole(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1 << 10, 200 << 10, 5 << 20} {
		for _, fed := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d bytes, fed: %v", size, fed), func(t *testing.T) {
				t.Parallel()
				prompt := long(size)
				c := newClaude(t, modelserver.Script{modelserver.Say("read")})
				if !fed {
					c.free()
				}
				c.harness(noLimit)
				file := filepath.Join(t.TempDir(), "prompt")
				must(t, os.WriteFile(file, []byte(prompt), 0o600))
				events := c.run("run", "--json", "--prompt-file", file).want(t, 0).events(t)
				smooth(t, events)
				if text(events) != "read" {
					t.Errorf("the agent said %q", clip(text(events)))
				}
				var got []string
				for _, text := range said(t, c.model.Requests()[0].Body) {
					if text == prompt {
						return
					}
					got = append(got, fmt.Sprintf("%d bytes, %.8x: %.80q", len(text), sha256.Sum256([]byte(text)), text))
				}
				t.Errorf("no text is the prompt, %.8x:\n%s", sha256.Sum256([]byte(prompt)), strings.Join(got, "\n"))
			})
		}
	}
}

func TestAPromptOverTheModelsContextIsToldSo(t *testing.T) {
	t.Parallel()
	c := newClaude(t, nil)
	file := filepath.Join(t.TempDir(), "prompt")
	must(t, os.WriteFile(file, []byte(long(5<<20)), 0o600))
	events := c.run("run", "--json", "--prompt-file", file).want(t, 3).events(t)
	whole(t, events)
	if last := events[len(events)-1].Event; last.Code != "context_too_long" || !strings.Contains(last.Message, "begin a new thread, or give a shorter prompt") {
		t.Errorf("the run ends with %s: %s", last.Code, last.Message)
	}
	if n := len(c.model.Requests()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
}

// TestSixRunsOfClaudeAtOnceFinish has all of them work at the same time: none
// gets its last answer before each has made its first request. Each gives its
// agent its own prompt, and tells what the model has answered to that.
func TestSixRunsOfClaudeAtOnceFinish(t *testing.T) {
	t.Parallel()
	const n = 6
	gate := make(chan struct{})
	var script modelserver.Script
	var prompts, answers []string
	for range n {
		prompts, answers = append(prompts, word()), append(answers, word())
		script = append(script, modelserver.Turn{Parts: []modelserver.Part{
			modelserver.Text("working"), modelserver.Until(gate), modelserver.Text(" on " + answers[len(answers)-1]),
		}})
	}
	c := newClaude(t, script)
	var running []*started
	for _, prompt := range prompts {
		running = append(running, c.start("run", "--json", prompt))
	}
	for _, r := range running {
		r.await("working")
	}
	close(gate)
	told := map[string]string{} // by prompt
	for i, r := range running {
		events := r.ends().want(t, 0).events(t)
		smooth(t, events)
		told[prompts[i]] = text(events)
	}
	want := map[string]string{}
	for _, r := range c.model.Asked(modelserver.Main) {
		for _, prompt := range prompts {
			if strings.Contains(string(r.Body), prompt) {
				want[prompt] += "working on " + answers[r.Turn]
			}
		}
	}
	if diff := cmp.Diff(want, told); diff != "" || len(want) != n {
		t.Errorf("the model was asked %d of %d prompts; by prompt, what it answered and what the run told:\n%s", len(want), n, diff)
	}
}
