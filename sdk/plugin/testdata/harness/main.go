// Command harness is the harness that the tests of sdk/plugin start. It tells
// the size of each batch of lines.
package main

import (
	"context"
	"fmt"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

type config struct {
	Model string `hcl:"model" doc:"Model."`
}

func main() {
	sdk.ServeHarness(sdk.Harness[config]{
		Type: "echo", Version: "0.0.1", Traits: harness.Traits{Program: "echo"},
		New: func(_ context.Context, c config, host sdk.Host) (harness.Harness, error) {
			if c.Model == "refuse" {
				return nil, sandbox.Errorf(sandbox.Unauthenticated, "no key")
			}
			return &translator{host}, nil
		},
	})
}

type translator struct{ host sdk.Host }

func (h *translator) Run(_ context.Context, s *harness.Session) error {
	h.host.Log.Info("session of " + s.Start().Model)
	s.Launch(harness.Launch{Argv: []string{"agent", s.Start().Model}})
	for {
		m, err := s.Next()
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case *harness.Lines:
			s.Emit(agui.TextMessageContent{MessageID: s.NewID(), Delta: fmt.Sprint(len(m.Data))})
		case *harness.Exit:
			return s.Done(harness.Result{Reason: harness.ReasonOK, Session: "s-1"})
		}
	}
}
