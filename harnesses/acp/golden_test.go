package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/harnesstest"
)

var updateGolden = flag.Bool("update", false, "write the golden files anew")

// capture is one session with a real agent.
type capture struct {
	config config
	output []byte   // all that the agent printed
	steps  []step   // what the agent printed, what was decided and when it was canceled
	client []string // what its client wrote in its first turn, as client() has it
}

func readCapture(t *testing.T, path string) capture {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := capture{config: config{Command: []string{"agent"}}}
	prompts := 0
	for line := range bytes.Lines(data) {
		var l struct {
			Dir string          `json:"dir"`
			Msg json.RawMessage `json:"msg"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		switch l.Dir {
		case "agent>client":
			c.output = append(append(c.output, l.Msg...), '\n')
			c.steps = append(c.steps, prints(string(l.Msg)))
		case "client>agent":
			var p struct {
				Method string `json:"method"`
				Params struct {
					MethodID string `json:"methodId"`
					ModeID   string `json:"modeId"`
				} `json:"params"`
				Result struct {
					Outcome struct {
						OptionID string `json:"optionId"`
					} `json:"outcome"`
				} `json:"result"`
			}
			if err := json.Unmarshal(l.Msg, &p); err != nil {
				t.Fatal(err)
			}
			switch p.Method {
			case "authenticate":
				c.config.AuthMethod = p.Params.MethodID
			case "session/set_mode":
				c.config.Mode = p.Params.ModeID
			case "session/cancel":
				c.steps = append(c.steps, cancels)
			case "session/prompt":
				prompts++
			case "":
				if option := p.Result.Outcome.OptionID; option != "" {
					c.steps = append(c.steps, chooses(option))
				} else {
					continue // it has written a file for the agent, which we refuse
				}
			}
			if prompts < 2 {
				c.client = append(c.client, client(t, l.Msg))
			}
		}
	}
	return c
}

// chooses answers the last Ask with one of its options.
func chooses(option string) step {
	return func(p *tape) harness.ToHarness {
		asks := p.asks()
		a := asks[len(asks)-1]
		for _, o := range a.Options {
			if o.ID == option {
				return &harness.Decision{Ask: a.ID, Allow: o.Allow, Option: option}
			}
		}
		panic("the agent doesn't offer " + option)
	}
}

// client is a message of a client without what each client says in its own way.
func client(t *testing.T, line []byte) string {
	t.Helper()
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Result any             `json:"result"`
	}
	if err := json.Unmarshal(line, &m); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func captures(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/*.ndjson")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d captures: %v", len(names), err)
	}
	return names
}

func TestCapturesOfRealAgents(t *testing.T) {
	for _, path := range captures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			c := readCapture(t, path)
			p := play(t, c.config, harness.Start{Prompt: "Do the task"}, c.steps...)

			var got strings.Builder
			for _, e := range p.events() {
				got.WriteString(e + "\n")
			}
			for _, a := range p.asks() {
				fmt.Fprintf(&got, "ask %s %s %q %q\n", a.ID, a.Kind, a.Target, a.Title)
			}
			result, err := json.MarshalIndent(p.result(t), "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			got.Write(append(result, '\n'))
			golden := strings.TrimSuffix(path, ".ndjson") + ".golden"
			if *updateGolden {
				if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}

			var wrote []string
			for _, line := range p.written() {
				if line != "EOF" && !strings.Contains(line, `"error"`) {
					wrote = append(wrote, client(t, []byte(line)))
				}
			}
			if diff := cmp.Diff(c.client, wrote); diff != "" {
				t.Errorf("the client that made the capture wrote otherwise (-client +we):\n%s", diff)
			}
		})
	}
}

func TestConformance(t *testing.T) {
	start := harness.Start{Run: "r", Prompt: "Do the task", History: []harness.Message{{Role: "user", Text: "earlier words"}}}
	for _, path := range captures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			c := readCapture(t, path)
			harnesstest.Replay(t, harnesstest.Pipe(t, &acp{config: c.config}), start, c.output, harnesstest.Options{Slices: 4})
		})
	}
	t.Run("endings", func(t *testing.T) {
		harnesstest.Endings(t, harnesstest.Pipe(t, &acp{config: config{Command: []string{"agent"}}}), start, harnesstest.Options{})
	})
}
