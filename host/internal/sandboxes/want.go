package sandboxes

import (
	"encoding/json"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/host/internal/workspace"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Want is the sandbox that a run needs.
type Want struct {
	Key      string          // identity key
	SetupKey string          // the key without thread and run
	Type     string          // type of the provider
	Config   json.RawMessage // the provider's configuration, secrets by reference
	Spec     json.RawMessage // the run's resolved spec
	Block    string          // name of the sandbox block
	Project  string          // absolute folder of the configuration
	Thread   string          // thread id
	Run      string          // run id
	Harness  string          // type of the harness
	HostBoot string          // boot id of this machine
	Network  sandbox.Network // what of the network it may reach
	Lifetime time.Duration   // hint to the provider: how long it may be without use; 0: none
	Snapshot string          // config.SnapshotAfterSetup and so on: which is kept, and which it may be made of; empty: none
	MaxAge   time.Duration   // how old an after-setup snapshot may be to be used
	Claimant Claimant        // who asks
	Fill     Fill            // what is brought into a new one
	Existing bool            // it was there, and another wouldn't do: one that is gone is an error of class Gone
}

// Phase is one step of Ensure, told when it starts and when it ends.
type Phase = workspace.Phase

// Fill is what is brought into a new sandbox; Output is what a setup command
// prints, and Cleaner what scrubs it. Fetch is what fetching a repository may use. A
// SecretFile holds a secret on the host; a Leak is one that a source would bring along.
type (
	Fill    = workspace.What
	Fetch   = workspace.Fetch
	Output  = workspace.Output
	Cleaner = workspace.Cleaner

	SecretFile = workspace.SecretFile
	Leak       = workspace.Leak
)

// labels are those of what is made for it.
func (w Want) labels(st *store.Store) sandbox.Labels {
	return sandbox.Labels{Owner: st.Owner(), HostBoot: w.HostBoot, Project: w.Project, Thread: w.Thread, Key: w.Key}
}
