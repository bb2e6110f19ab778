// Command sandlot-harness-minimal is the smallest harness there can be. Its agent
// is a shell script kept beside it, which reads the prompt on stdin and prints
// lines; each becomes a piece of one text message.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"path"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

//go:embed agent.sh
var script []byte

func main() {
	sdk.ServeHarness(sdk.Harness[struct{}]{
		Type: "minimal", Version: "0.1.0", Licence: "Apache-2.0",
		Traits: harness.Traits{Program: "sh", Commands: harness.EnforcesNot, FileWrites: harness.EnforcesNot, NetworkRules: harness.EnforcesNot},
		New:    func(context.Context, struct{}, sdk.Host) (harness.Harness, error) { return minimal{}, nil },
	})
}

type minimal struct{}

// Run translates one run. Events depend on lines and Exit only.
func (minimal) Run(_ context.Context, s *harness.Session) error {
	state, message, canceled := s.Start().Workspace.StateDir, "", false
	s.Provision(harness.Provision{Files: []harness.File{{Path: "agent.sh", Data: script}}})
	s.Launch(harness.Launch{
		Argv: []string{"sh", path.Join(state, "agent.sh")}, Programs: []harness.Program{{Name: "sh"}},
		Stdin: harness.StdinPrompt, Prompt: []byte(s.Start().Prompt),
	})
	for {
		m, err := s.Next()
		if err != nil {
			return fmt.Errorf("receive message: %w", err)
		}
		switch m := m.(type) {
		case *harness.Lines:
			for line := range bytes.Lines(m.Data) {
				if message == "" {
					message = s.NewID()
					s.Emit(agui.TextMessageStart{MessageID: message, Role: "assistant"})
				}
				var told struct{ Text string }
				if json.Unmarshal(line, &told) != nil || told.Text == "" {
					told.Text = string(line)
				}
				s.Emit(agui.TextMessageContent{MessageID: message, Delta: told.Text})
			}
		case *harness.Cancel:
			canceled = true // the host ends the agent; there is nobody to ask
		case *harness.Exit:
			if message != "" {
				s.Emit(agui.TextMessageEnd{MessageID: message})
			}
			return s.Done(result(m, canceled))
		}
	}
}

func result(e *harness.Exit, canceled bool) harness.Result {
	ended := fmt.Sprintf("the agent ended with code %d, signal %d (%s)\n%s", e.Code, e.Signal, e.Message, e.Stderr)
	switch {
	case canceled:
		return harness.Result{Reason: harness.ReasonCanceled, Message: "the run was canceled"}
	case e.Known && e.Code == 0 && e.Signal == 0:
		return harness.Result{Reason: harness.ReasonOK}
	case e.Code == 127:
		return harness.Result{Reason: harness.ReasonCLIMissing, Message: ended}
	}
	return harness.Result{Reason: harness.ReasonCrashed, Message: ended}
}
