package sdk_test

import (
	"context"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/sdk"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/processes"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
	"github.com/sandlot-dev/sandlot/sdk/shellfs"
)

// rooms is a provider; what it has to do is in sandbox.Provider.
type rooms struct {
	sandbox.Provider
	owner string
}

// room is a sandbox. Its Start, Kill and Alive are those of the Runner.
type room struct {
	*processes.Runner
	id string
}

func (r *room) ID() string           { return r.id }
func (r *room) Info() sandbox.Info   { return r.Describe() }
func (r *room) Files() sandbox.Files { return shellfs.New(r) }

type settings struct {
	Wait time.Duration `hcl:"wait" default:"30s" identity:"false" doc:"For a room to become free."`
}

func ExampleServeProvider() {
	// It serves until the host lets go of it.
	sdk.ServeProvider(sdk.Provider[settings]{
		Type: "rooms", Version: "1.0.0", Licence: "Apache-2.0",
		Provider: (*rooms)(nil), Sandbox: (*room)(nil), Capabilities: processes.Capabilities(),
		New: func(_ context.Context, c settings, host sdk.Host) (sandbox.Provider, error) {
			host.Log.Debug("configured", "wait", c.Wait)
			return &rooms{owner: host.Owner}, nil
		},
	})
}

// echo gives back the lines that its agent prints.
type echo struct{}

func (echo) Run(_ context.Context, s *harness.Session) error {
	s.Launch(harness.Launch{Argv: []string{"cat"}, Stdin: harness.StdinPrompt, Prompt: []byte(s.Start().Prompt)})
	for {
		m, err := s.Next()
		if err != nil {
			return fmt.Errorf("receive message: %w", err)
		}
		if exit, ok := m.(*harness.Exit); ok && exit.Code == 0 {
			return s.Done(harness.Result{Reason: harness.ReasonOK})
		} else if ok {
			return s.Done(harness.Result{Reason: harness.ReasonCrashed, Message: "cat has failed: " + string(exit.Stderr)})
		}
	}
}

func ExampleServeHarness() {
	// It serves until the host lets go of it.
	sdk.ServeHarness(sdk.Harness[struct{}]{
		Type: "echo", Version: "1.0.0", Licence: "Apache-2.0",
		Traits: harness.Traits{Program: "cat", Commands: harness.EnforcesNot, FileWrites: harness.EnforcesNot, NetworkRules: harness.EnforcesNot},
		New:    func(context.Context, struct{}, sdk.Host) (harness.Harness, error) { return echo{}, nil },
	})
}
