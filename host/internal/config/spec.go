package config

import (
	"encoding/json"
	"time"
)

// Spec is one sandbox block with everything it refers to, resolved. It is what
// a run's row keeps, so it is plain JSON and holds no secret's value.
type Spec struct {
	// Project is the absolute folder of the configuration, links resolved.
	Project string `json:"project"`
	// Block is the sandbox block's name.
	Block string `json:"block"`
	// Provider makes the sandbox.
	Provider Plugin `json:"provider"`
	// Harness runs the agent.
	Harness Harness `json:"harness"`
	// Workspace is what the agent sees; its zero value if the block names none.
	Workspace Workspace `json:"workspace"`
	// Policy is what the agent may do; all defaults if the block names none.
	Policy Policy `json:"policy"`
	// Lifecycle says how long the sandbox lives.
	Lifecycle Lifecycle `json:"lifecycle"`
	// Timeouts bound the phases of a run.
	Timeouts Timeouts `json:"timeouts"`
	// Secrets are the sources of the secrets referred to above, by name; no others.
	Secrets map[string]SecretSource `json:"secrets,omitempty"`
}

// Plugin is a configured provider block.
type Plugin struct {
	// Type such as "docker", and Name: the block's two labels.
	Type string `json:"type"`
	Name string `json:"name"`
	// Config is a JSON object shaped by the plugin's schema, defaults applied. The
	// strings that Sensitive points to are a [Value] each; see [Plugin.Reveal].
	Config json.RawMessage `json:"config"`
	// Sensitive are JSON pointers into Config.
	Sensitive []string `json:"sensitive,omitempty"`
	// Identity is the part of Config that counts in the sandbox's identity key.
	Identity json.RawMessage `json:"identity,omitempty"`
	// Where are the places, "file:line", at which what Config holds was written, by
	// path as in [schema.PathError]; the empty path is the block. See [Plugin.At].
	Where map[string]string `json:"where,omitempty"`
}

// At is where the attribute at a path was written, or what is nearest around it;
// empty: unknown. It lets what only the plugin can find fault with, later and in
// another process, be told with its line.
func (p Plugin) At(path string) string {
	for {
		if at, ok := p.Where[path]; ok || path == "" {
			return at
		}
		path = around(path)
	}
}

// Harness is a configured harness block.
type Harness struct {
	Plugin
	// Model is passed to the agent; empty means the agent's own default.
	Model string `json:"model,omitempty"`
	// AuthMode is "api-key" (default) or "host".
	AuthMode string `json:"auth_mode"`
}

// Workspace is a resolved workspace block.
type Workspace struct {
	// Name is the block's label; empty if the sandbox has no workspace block.
	Name string `json:"name,omitempty"`
	// Env is added to the environment of every command, by variable name.
	Env map[string]Value `json:"env,omitempty"`
	// Secrets are put into the environment of every command under their own names.
	Secrets []string `json:"secrets,omitempty"`
	// Source is where a new sandbox's files come from; its zero value is an empty folder.
	Source Source `json:"source,omitzero"`
	// Setup are the setup blocks, in the order of the file.
	Setup []Setup `json:"setup,omitempty"`
	// Scripts are commands by name, which rules of the policy may name.
	Scripts map[string]string `json:"scripts,omitempty"`
	// MCP are the mcp blocks, in the order of the file.
	MCP []MCPServer `json:"mcp,omitempty"`
}

// MCPServer is a resolved mcp block: a server of the Model Context Protocol, with
// either a URL or a Command.
type MCPServer struct {
	// Name is the block's label.
	Name string `json:"name"`
	// URL of a server that is reached over HTTP.
	URL string `json:"url,omitempty"`
	// Headers of each request to it.
	Headers map[string]Value `json:"headers,omitempty"`
	// Command is the program of a server that the agent starts, in the sandbox.
	Command string `json:"command,omitempty"`
	// Args are its arguments.
	Args []string `json:"args,omitempty"`
	// Env is its environment, beside the agent's.
	Env map[string]Value `json:"env,omitempty"`
}

// Source is a resolved source block.
type Source struct {
	// Kind is "local" or "git", as which a github source counts too; empty: no source.
	Kind string `json:"kind"`
	// Path of the folder to copy, absolute, links resolved; of "local".
	Path string `json:"path,omitempty"`
	// Gitignore leaves out what the folder's .gitignore files name; false by default.
	Gitignore bool `json:"gitignore,omitempty"`
	// URL of the repository, without credentials; of "git".
	URL string `json:"url,omitempty"`
	// Ref is a branch, tag or commit; empty: the repository's default branch.
	Ref string `json:"ref,omitempty"`
	// Depth is how many commits of history are fetched; 0: all. The language's default is 1.
	Depth int `json:"depth,omitempty"`
	// Submodules are fetched too; false by default.
	Submodules bool `json:"submodules,omitempty"`
	// Token opens a private repository; empty: none.
	Token Value `json:"token,omitzero"`
}

// Setup is a resolved setup block: commands that share one shell.
type Setup struct {
	// Run are the commands, one after the other.
	Run []string `json:"run"`
	// Timeout of each command in nanoseconds; 30 minutes by default.
	Timeout time.Duration `json:"timeout"`
	// Retries is how often a command that failed is tried again; 0 by default.
	Retries int `json:"retries"`
}

// Policy is a resolved policy block. Actions are "allow", "ask" and "deny".
type Policy struct {
	// Name is the block's label; empty if the sandbox has no policy block.
	Name string `json:"name,omitempty"`
	// Default decides what no rule names; "ask" by default.
	Default string `json:"default"`
	// Commands are globs over commands.
	Commands Commands `json:"commands"`
	// FileWrite decides writes to files; Default by default.
	FileWrite string `json:"file_write"`
	// Network decides what the agent reaches for; its zero value allows all.
	Network Network `json:"network,omitzero"`
	// ApprovalTimeout in nanoseconds, after which a request is denied; 10 minutes by default.
	ApprovalTimeout time.Duration `json:"approval_timeout"`
	// Strict refuses a run in which nobody would hold one of the rules; false by default.
	Strict bool `json:"strict,omitempty"`
}

// Network is a resolved network block.
type Network struct {
	// Default is "ask", or "deny": the sandbox has no network; empty: everything is allowed.
	Default string `json:"default,omitempty"`
	// AllowHosts are hosts that are allowed all the same: names, or "*." before one
	// for all below it.
	AllowHosts []string `json:"allow_hosts,omitempty"`
}

// Commands are a policy's globs by action.
type Commands struct {
	Allow []string `json:"allow,omitempty"`
	Ask   []string `json:"ask,omitempty"`
	Deny  []string `json:"deny,omitempty"`
}

// DefaultKeepAlive is the default of lifecycle.keep_alive.
const DefaultKeepAlive = 30 * time.Minute

// DefaultSnapshotMaxAge is the default of lifecycle.snapshot_max_age.
const DefaultSnapshotMaxAge = 24 * time.Hour

// When snapshots are kept.
const (
	SnapshotAfterSetup = "after-setup"
	SnapshotAfterRun   = "after-run"
	SnapshotNone       = "none"
)

// Lifecycle is a resolved lifecycle block.
type Lifecycle struct {
	// Reuse is "thread" (default: one sandbox a thread) or "none" (one a run).
	Reuse string `json:"reuse"`
	// Snapshot is when one is kept, where the provider can: [SnapshotAfterSetup]
	// (default), [SnapshotAfterRun] or [SnapshotNone]. Empty, of a spec of an earlier
	// build, is never.
	Snapshot string `json:"snapshot,omitempty"`
	// SnapshotAsked is true where Snapshot was written, and not left to its default.
	SnapshotAsked bool `json:"snapshot_asked,omitempty"`
	// SnapshotMaxAge is how old an after-setup snapshot may be to be used, in
	// nanoseconds; [DefaultSnapshotMaxAge] by default.
	SnapshotMaxAge time.Duration `json:"snapshot_max_age,omitempty"`
	// KeepAlive is how long the sandbox may be without use before gc takes it, in
	// nanoseconds; [DefaultKeepAlive] by default. 0 is that of a spec of an earlier build.
	KeepAlive time.Duration `json:"keep_alive,omitempty"`
	// DestroyOnComplete removes the sandbox at the end of a run; false by default.
	DestroyOnComplete bool `json:"destroy_on_complete"`
	// OnCancel is "keep" (default) or "destroy".
	OnCancel string `json:"on_cancel"`
	// OnDisconnect is "detach" (default: the run goes on) or "cancel".
	OnDisconnect string `json:"on_disconnect"`
}

// Timeouts are bounds in nanoseconds; none is zero.
type Timeouts struct {
	// Startup is the time until the agent's first output; 60 s by default.
	Startup time.Duration `json:"startup"`
	// Idle is the time without output; 10 minutes by default.
	Idle time.Duration `json:"idle"`
	// Tool is the time without output while a tool of the agent works, where it is longer than Idle; 30 minutes by default.
	Tool time.Duration `json:"tool"`
	// AfterResult is the time an agent may take to exit after its result; 10 s by default.
	AfterResult time.Duration `json:"after_result"`
	// Run is the time a whole run may take; 2 h by default.
	Run time.Duration `json:"run"`
}

// SecretSource says where a secret's value comes from. Exactly one source is set.
type SecretSource struct {
	// Env is the name of the environment variable that holds it.
	Env string `json:"env,omitempty"`
	// File is the absolute path of the file that holds it.
	File string `json:"file,omitempty"`
	// Command prints it: a program and its arguments, run in the project's folder.
	Command []string `json:"command,omitempty"`
	// Value is true if it stands in the configuration; see [Project.SecretValues].
	Value bool `json:"value,omitempty"`
	// Redact is false if output isn't to be scrubbed of it.
	Redact bool `json:"redact"`
}
