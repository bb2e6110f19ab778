package sandbox

import (
	"context"
	"time"
)

// Provider makes, finds again and removes sandboxes. Its methods may be called
// concurrently. A provider keeps no state that its backend doesn't have: the
// process behind it may be killed and started anew between any two calls.
type Provider interface {
	// Create makes a new sandbox. If one with the same Key exists already (a
	// call whose answer was lost), that one is returned. What was made before
	// a failure is unmade. When ctx is canceled, what was made is unmade and the
	// error is of class Canceled, or, where it was finished already, the sandbox
	// is returned all the same: the caller knows what there is.
	Create(ctx context.Context, req CreateRequest) (Sandbox, error)

	// Resume finds a sandbox by the id that an earlier Create returned. The
	// error is of class Gone only when the backend says that it doesn't exist;
	// a backend out of reach is Unavailable.
	Resume(ctx context.Context, req ResumeRequest) (Sandbox, error)

	// Destroy ends every process of the sandbox and removes it. Destroying
	// what is gone already is not an error.
	Destroy(ctx context.Context, id string) error

	// List tells all that this owner made, for inventory and collection.
	List(ctx context.Context) ([]Summary, error)

	// Capabilities is what this configuration can do. It may be narrower than
	// what describe promised, never wider.
	Capabilities() Capabilities
}

// CreateRequest asks for a new sandbox.
type CreateRequest struct {
	Key      string            // identity key, 64 hex digits; the resource name is made of it where the backend has names
	Labels   Labels            // who made it and for what
	Harness  string            // type of the harness that will run in it, e.g. "acp"
	Env      map[string]string // plain base environment of every process
	Secrets  []Secret          // only for providers with BrokersSecrets
	Network  Network           // decision on outgoing traffic
	Lifetime time.Duration     // hint: how long it may stay without use; 0: the provider's default
	Progress func(Progress)    // called while it works; nil: not wanted
}

// ResumeRequest asks for a sandbox that exists.
type ResumeRequest struct {
	ID       string            // as returned by Sandbox.ID
	Env      map[string]string // as for Create
	Secrets  []Secret          // as for Create
	Network  Network           // applied again; what was closed is never opened by a resume
	Lifetime time.Duration     // as for Create
	Progress func(Progress)    // as for Create
}

// Labels says who made a sandbox. They are kept by the backend, so that what a
// dead host left can be found and collected.
type Labels struct {
	Owner    string `json:"owner"`     // id of the host's store
	HostBoot string `json:"host_boot"` // boot id of the host's machine
	Project  string `json:"project"`   // absolute folder of the configuration
	Thread   string `json:"thread"`    // thread id; may be empty
	Key      string `json:"key"`       // the identity key
}

// Secret is one value that a provider with BrokersSecrets keeps out of the
// sandbox.
type Secret struct {
	Name  string
	Value string
}

// Network is the decision on outgoing traffic. The zero value allows all.
type Network struct {
	Deny       bool     // nothing leaves, but to AllowHosts
	AllowHosts []string // host names, a leading "*." matches subdomains
}

// Progress is one step of a long call.
type Progress struct {
	Phase   string // "pull", "create", "start", "ready"
	Detail  string // one line for a person
	Percent int    // 0 to 100; -1 where unknown
}

// State of a sandbox as its backend tells it.
type State string

// The states of a Summary.
const (
	StateRunning State = "running"
	StateStopped State = "stopped"
	StateUnknown State = "unknown"
)

// OwnerUnknown is the Owner of a Summary whose sandbox doesn't say who made it.
// Such a sandbox is never collected.
const OwnerUnknown = "unknown"

// Summary is one sandbox in a list.
type Summary struct {
	ID      string
	Labels  Labels    // Owner is OwnerUnknown where it can't be read
	State   State     // as the backend tells it
	Created time.Time // zero where unknown
}
