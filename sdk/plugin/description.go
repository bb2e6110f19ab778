package plugin

import (
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
	"github.com/sandlot-dev/sandlot/sdk/schema"
)

// SDKVersion is the version of the SDK a plugin was built with.
const SDKVersion = "0.1.0"

// ProtocolMajor is the wire's major version. Everything smaller than a major is
// a capability flag or an answer of class Unsupported.
const ProtocolMajor = 1

// Protocols lists the protocol majors that this SDK speaks.
func Protocols() []int { return []int{ProtocolMajor} }

// Kind is what a plugin is.
type Kind string

// The kinds of plugins.
const (
	KindProvider Kind = "provider"
	KindHarness  Kind = "harness"
)

// Binary is the name of the program of a plugin, without a file name extension.
func Binary(kind Kind, typ string) string { return "sandlot-" + string(kind) + "-" + typ }

// Description is what `describe` prints: all that the host knows of a plugin
// before it starts it.
type Description struct {
	Kind         Kind                  `json:"kind"`
	Type         string                `json:"type"`
	Version      string                `json:"version"`
	SDK          string                `json:"sdk_version"`
	Protocols    []int                 `json:"protocols"`              // majors it speaks
	Capabilities *sandbox.Capabilities `json:"capabilities,omitempty"` // of a provider: the most it can do
	Isolation    sandbox.Isolation     `json:"isolation,omitempty"`    // of a provider's sandboxes; empty: not told
	KillScope    sandbox.KillScope     `json:"kill_scope,omitempty"`   // on this machine; empty: not told, or known of each sandbox only
	Traits       *harness.Traits       `json:"traits,omitempty"`       // of a harness
	Schema       schema.Block          `json:"schema"`
	Env          []string              `json:"env"` // variables it wants beside the usual ones; "*" is all
	Licence      string                `json:"licence"`
	Issues       string                `json:"issues"` // URL
}
