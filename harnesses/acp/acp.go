package main

import (
	"context"
	"fmt"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// acp is the harness: one configuration, any number of sessions.
type acp struct{ config config }

// newACP checks what the schema can't say.
func newACP(_ context.Context, c config, _ sdk.Host) (harness.Harness, error) {
	if len(c.Command) == 0 || c.Command[0] == "" {
		return nil, &sandbox.Error{
			Class: sandbox.Invalid, Attribute: "command",
			Message: `it is empty; name the agent's program, e.g. ["opencode", "acp"]`,
		}
	}
	return &acp{config: c}, nil
}

// Run translates one run.
func (h *acp) Run(_ context.Context, s *harness.Session) error {
	t := newTurn(s, h.config)
	t.begin()
	for {
		m, err := s.Next()
		if err != nil {
			return fmt.Errorf("receive message: %w", err)
		}
		switch m := m.(type) {
		case *harness.Lines:
			if t.cut = 0; m.Cut() {
				t.cut = m.End
			}
			t.lines.feed(m.Data, t.line)
		case *harness.Decision:
			t.permissions.decide(m)
		case *harness.Cancel:
			t.cancel()
		case *harness.Exit:
			t.lines.end(t.line)
			return s.Done(t.exit(m))
		}
	}
}
