package runs

import (
	"encoding/json"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
)

// wanted is the sandbox that a run on a thread needs, by their ids; without a run,
// the one that the thread's next run will. What it is filled with, and by whom, is
// added by who makes it.
func wanted(spec *config.Spec, thread, run string) (sandboxes.Want, error) {
	perRun := ""
	if spec.Lifecycle.Reuse == "none" {
		perRun = run
	}
	key, err := spec.Key(thread, perRun, "")
	if err != nil {
		return sandboxes.Want{}, err
	}
	setupKey, err := spec.SetupKey("")
	if err != nil {
		return sandboxes.Want{}, err
	}
	whole, err := json.Marshal(spec)
	if err != nil {
		return sandboxes.Want{}, fmt.Errorf("encode spec: %w", err)
	}
	return sandboxes.Want{
		Key: key, SetupKey: setupKey, Type: spec.Provider.Type, Config: spec.Provider.Config, Spec: whole,
		Block: spec.Block, Project: spec.Project, Thread: thread, Run: run,
		Harness: spec.Harness.Type, HostBoot: BootID(), Lifetime: spec.Lifecycle.KeepAlive,
		Snapshot: spec.Lifecycle.Snapshot, MaxAge: spec.Lifecycle.SnapshotMaxAge,
		Network: networkOf(spec.Policy.Network),
	}, nil
}
