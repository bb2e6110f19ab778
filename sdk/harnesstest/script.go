package harnesstest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// Script plays the host with a real agent process on this machine: it launches
// what the harness says, gives it the agent's lines and answers what it asks.
// There is no sandbox: the agent runs as who runs the test.
type Script struct {
	Open Opener
	// Start opens the session. Workspace.Root and StateDir must exist; an empty
	// one is a fresh folder that is removed at the end.
	Start harness.Start
	// Env is added to the process's own environment, over Launch.Env.
	Env map[string]string
	// Decide answers an Ask; nil result: it stays open. Without it all is allowed.
	Decide func(*harness.Ask) *harness.Decision
	// Cancel says after each message whether to cancel now; nil: never. After a
	// cancel the agent gets AfterResult to end, as after its result.
	Cancel func(*Record) bool
	// AfterResult is how long the agent may live after the harness has ended its
	// stdin; then it is killed. 0: 10 s.
	AfterResult time.Duration
}

// Outcome is what came of a script.
type Outcome struct {
	*Record
	Stdout []byte
	Stderr []byte
	Exit   harness.Exit
	Killed bool // by the script, because it lived on after its result or a cancel
}

// Run plays the session until the harness is done. The agent is killed when ctx
// ends, with its process group where there are such.
func (s Script) Run(ctx context.Context) (*Outcome, error) {
	if s.AfterResult == 0 {
		s.AfterResult = 10 * time.Second
	}
	if s.Decide == nil {
		s.Decide = func(*harness.Ask) *harness.Decision { return &harness.Decision{Allow: true} }
	}
	made, err := os.MkdirTemp("", "harnesstest-")
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(made) }()
	for name, folder := range map[string]*string{"root": &s.Start.Workspace.Root, "state": &s.Start.Workspace.StateDir} {
		if *folder != "" {
			continue
		}
		*folder = filepath.Join(made, name)
		if err := os.Mkdir(*folder, 0o700); err != nil {
			return nil, fmt.Errorf("make folder: %w", err)
		}
	}
	a := &agent{script: s, stdin: newStdin(), end: make(chan struct{})}
	record, err := play(ctx, s.Open, s.Start, hooks{decide: s.Decide, each: a.message}, func(p *player) error {
		launch, err := p.awaitLaunch()
		if err != nil {
			return err
		}
		if err := s.provision(p.provisions); err != nil {
			return err
		}
		return a.run(p, launch)
	})
	a.out.Record = record
	return &a.out, err
}

// provision writes the files the harness wants, before the agent starts.
func (s Script) provision(r []*harness.Provision) error {
	for _, p := range r {
		for _, f := range p.Files {
			path := f.Path
			if !filepath.IsAbs(path) {
				path = filepath.Join(s.Start.Workspace.StateDir, path)
			}
			mode := f.Mode
			if mode == 0 {
				mode = 0o600
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, f.Data, mode&fs.ModePerm)); err != nil {
				return fmt.Errorf("provision: %w", err)
			}
		}
	}
	return nil
}
