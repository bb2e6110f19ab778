package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// claude is the harness: one configuration, any number of sessions.
type claude struct{ config config }

// newClaude checks what the schema can't say.
func newClaude(_ context.Context, c config, _ sdk.Host) (harness.Harness, error) {
	switch {
	case len(c.Command) > 0 && c.Command[0] == "":
		return nil, invalid("command", "its first word is empty; name the CLI's program, or leave command out for claude")
	case c.MaxTurns < 0:
		return nil, invalid("max_turns", fmt.Sprintf("%d is below 0; give the number of model requests a run may make, or 0 for no limit", c.MaxTurns))
	case c.Effort != "" && !slices.Contains(efforts(), c.Effort):
		return nil, invalid("effort", fmt.Sprintf("%q is none of low, medium, high, xhigh, max", c.Effort))
	}
	return &claude{config: c}, nil
}

func efforts() []string { return []string{"low", "medium", "high", "xhigh", "max"} }

func invalid(attribute, message string) error {
	return &sandbox.Error{Class: sandbox.Invalid, Attribute: attribute, Message: message}
}

// Run translates one run.
func (h *claude) Run(_ context.Context, s *harness.Session) error {
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
			t.output.feed(m.Data, t.line)
		case *harness.Decision:
			t.gate.decide(m)
		case *harness.Cancel:
			t.cancel()
		case *harness.Exit:
			t.output.end()
			return s.Done(t.exit(m))
		}
	}
}
