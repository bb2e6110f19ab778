package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

type asking struct{}

// Run translates one run. Events depend on lines and Exit only; what is written
// to the agent may depend on all.
func (asking) Run(_ context.Context, s *harness.Session) error {
	start := s.Start()
	s.Provision(harness.Provision{Files: []harness.File{
		{Path: "agent.sh", Data: script},
		{Path: "prompt", Data: []byte(start.Prompt)},
	}})
	state := start.Workspace.StateDir
	s.Launch(harness.Launch{
		Argv:     []string{"sh", path.Join(state, "agent.sh"), path.Join(state, "prompt")},
		Programs: []harness.Program{{Name: "sh"}},
		Stdin:    harness.StdinDuplex,
	})
	t := turn{s: s, asked: map[string]string{}}
	for {
		m, err := s.Next()
		if err != nil {
			return fmt.Errorf("receive message: %w", err)
		}
		switch m := m.(type) {
		case *harness.Lines:
			for l := range bytes.Lines(m.Data) {
				t.line(l)
			}
		case *harness.Decision:
			t.answer(m)
		case *harness.Cancel:
			t.canceled = true
			s.CloseInput() // this agent takes the end of its stdin as a cancel
		case *harness.Exit:
			return s.Done(t.end(m))
		}
	}
}

// answer tells the agent what was decided, in the agent's own words.
func (t *turn) answer(d *harness.Decision) {
	text, _ := json.Marshal(map[string]any{"ask": t.asked[d.Ask], "allow": d.Allow, "why": d.Reason})
	t.s.Write(append(text, '\n'))
}
