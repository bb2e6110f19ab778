package policy

// Action is a decision about a request.
type Action string

// The closed set of actions, from the least to the most severe.
const (
	Allow Action = "allow"
	Ask   Action = "ask"
	Deny  Action = "deny"
)

// Policy is what an agent may do. The zero value asks about everything but the
// network, which it allows.
type Policy struct {
	// Default decides what no rule names; empty means Ask.
	Default Action `json:"default"`
	// Commands are the rules for commands.
	Commands Commands `json:"commands"`
	// Scripts are the workspace's scripts by name. A rule for a script's name holds
	// for its command, and the other way round.
	Scripts map[string]string `json:"scripts,omitempty"`
	// FileWrite decides writes to files; empty means Default. Where it is Allow it
	// is for the files of Places: any other is asked about, or denied by a Default of
	// Deny. Under a policy that allows everything it is for all.
	FileWrite Action `json:"file_write"`
	// Places say which files those are.
	Places Places `json:"-"`
	// Network decides access to the network; empty means Allow.
	Network Action `json:"network"`
	// AllowHosts are hosts that are allowed whatever Network says: names, or "*."
	// before one for all below it.
	AllowHosts []string `json:"allow_hosts,omitempty"`
}

// Commands are globs by action.
type Commands struct {
	Allow []string `json:"allow,omitempty"`
	Ask   []string `json:"ask,omitempty"`
	Deny  []string `json:"deny,omitempty"`
}

// Kind is what a request is about.
type Kind string

// The closed set of kinds.
const (
	Command   Kind = "command"    // target: the command line
	FileWrite Kind = "file_write" // target: the absolute path, or several with ", " between
	Tool      Kind = "tool"       // target: the tool's name
	Network   Kind = "network"    // target: a URL, or a host with or without a port
)

// Request is what an agent wants to do.
type Request struct {
	Kind   Kind
	Target string
}

// Decision is the answer and why.
type Decision struct {
	Action Action
	// Rule is the rule that decided, such as `commands.deny "rm -rf *"`,
	// `file_write` or `default`; behind it may stand why it did.
	Rule string
}
