package harness

import "context"

// Harness translates one run. Run is called once per session, perhaps several
// at a time; it returns after Done, or with an error that ends the run.
type Harness interface {
	Run(ctx context.Context, s *Session) error
}

// Traits is what describe tells of a harness beside its schema.
type Traits struct {
	Program      string   `json:"program"`       // the agent's program, e.g. "claude"; empty where the configuration names it
	Install      string   `json:"install"`       // one line that installs it
	TestedFrom   string   `json:"tested_from"`   // first version of the agent that was tested; empty: any
	TestedTo     string   `json:"tested_to"`     // last version that was tested; empty: any
	AuthModes    []Auth   `json:"auth_modes"`    // ways to sign in
	ModelHosts   []string `json:"model_hosts"`   // hosts of the model API
	Commands     Enforces `json:"commands"`      // what becomes of command rules
	FileWrites   Enforces `json:"file_writes"`   // what becomes of file_write
	NetworkRules Enforces `json:"network_rules"` // what becomes of network rules

	// Dirs is the attribute of the block with a list of folders that the agent may
	// write to as it may to the workspace, where file_write allows that; empty: there
	// is none.
	Dirs string `json:"dirs,omitempty"`

	Schemas bool `json:"schemas,omitempty"` // it has the agent answer by a JSON schema, where Start has one

	MCP []MCPTransport `json:"mcp,omitempty"` // how its agent reaches MCP servers; none: it is told of no servers
}

// Auth is one way for the agent to sign in.
type Auth struct {
	Mode      string   `json:"mode"`      // "api-key" or "host"
	Variables []string `json:"variables"` // environment it reads, e.g. ANTHROPIC_API_KEY
}

// MCPTransport is how an agent reaches a server of the Model Context Protocol.
type MCPTransport string

// The transports of servers with a URL, and with a Command.
const (
	MCPHTTP  MCPTransport = "http"
	MCPStdio MCPTransport = "stdio"
)

// Enforces says how a harness treats one kind of policy rule.
type Enforces string

// The ways of treating a policy rule.
const (
	EnforcesNatively Enforces = "enforces"  // the agent's own rules hold it
	EnforcesEachCall Enforces = "each_call" // each call is put to us before it is made
	EnforcesByAsking Enforces = "asks"      // the agent asks us, about what it chooses to ask
	EnforcesNot      Enforces = "cannot"    // nobody holds it
)
