package harness

import (
	"bytes"
	"encoding/json"
	"io/fs"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// ToHarness is a message from the host: *Start, *Lines, *Stderr, *Exit,
// *Decision or *Cancel.
type ToHarness interface{ toHarness() }

// FromHarness is a message to the host: *Provision, *Launch, *Events, *Input,
// *Ask, *Withdraw or *Done.
type FromHarness interface{ fromHarness() }

// Start opens a session; it is always the first message.
type Start struct {
	Run          string          // id of the run
	Prompt       string          // what the person wrote
	History      []Message       // earlier turns of the thread, for an agent that begins a new session; see WithHistory
	Session      string          // the agent's own session to resume; empty: a new one
	Model        string          // empty: the agent's default
	Schema       json.RawMessage // JSON schema of the structured output; nil: none asked for
	AuthMode     string          // "api-key" or "host"
	Policy       Policy          // for the agent's native rules; the host decides each Ask itself
	Workspace    Workspace       // facts about where the agent runs
	Secrets      []string        // names of the secrets in the agent's environment
	MCP          []MCPServer     // servers whose tools the agent may call
	Capabilities sandbox.Capabilities
	Isolation    sandbox.Isolation
	Replay       bool // the lines come from a journal: what Write sends is dropped
}

// Message is one turn of an earlier conversation.
type Message struct {
	Role string // "user" or "assistant"
	Text string
}

// MCPServer is a server of the Model Context Protocol: one that is reached over
// HTTP, with a URL, or one that the agent starts in the sandbox, with a Command.
type MCPServer struct {
	Name    string     // letters, digits, single _ and - between them
	URL     string     // empty: it has a Command
	Headers []MCPValue // of each request to the URL, sorted by name
	Command string     // program; empty: it has a URL
	Args    []string   // of the program
	Env     []MCPValue // of the program, beside the agent's, sorted by name
}

// MCPValue is a header or a variable of a server.
type MCPValue struct {
	Name, Value string
	Secret      bool // Value holds one: never to be put into arguments or events
}

// Policy is what the agent may do, as the harness may map it to native rules.
type Policy struct {
	Default   string // "allow", "ask" or "deny"
	FileWrite string // likewise
	Allow     []string
	Ask       []string
	Deny      []string

	Network    string   // "ask" or "deny"; empty: everything is allowed
	AllowHosts []string // hosts that are allowed all the same; "*." before a name: all below it
}

// Workspace tells where the agent runs. Paths are real.
type Workspace struct {
	Root     string
	Home     string
	StateDir string // folder of this run in the sandbox, for files of Provision
}

// Lines is a batch of whole lines that the agent printed.
type Lines struct {
	Data []byte // lines with their newlines; the very last line of the output may lack one
	End  int64  // offset in the journal after Data
}

// Cut reports whether the output of an agent that prints a JSON object a line ends
// here in the middle of one: such an agent was ended while it wrote. Only the last
// batch of all can be so.
func (l *Lines) Cut() bool {
	last := bytes.TrimSpace(l.Data[bytes.LastIndexByte(l.Data, '\n')+1:])
	return bytes.HasPrefix(last, []byte("{")) && !json.Valid(last)
}

// Stderr is what the agent wrote to stderr, for diagnosis; never for events.
type Stderr struct{ Data []byte }

// Exit says that the agent has ended and every line was sent.
type Exit struct {
	Code    int    // -1 where unknown
	Signal  int    // 0: none
	Known   bool   // false: the process is gone, and nobody saw how
	Message string // e.g. "exit code 137, probably signal 9"
	Stderr  []byte // last 4 KiB of stderr
}

// Decision answers an Ask.
type Decision struct {
	Ask    string // its id
	Allow  bool
	Option string // id of the option that was chosen; empty: pick one by Allow
	Reason string // for the agent, e.g. `denied by rule commands.deny "rm *"`
}

// Cancel asks the harness to stop the agent in the agent's own way. The host
// ends the process itself soon after.
type Cancel struct{}

// Provision lists what must stand in the sandbox before the agent starts.
type Provision struct {
	Files    []File
	Warnings []Warning
}

// File is one file to write.
type File struct {
	Path string // real path; relative ones are under Workspace.StateDir
	Data []byte
	Mode fs.FileMode // 0: 0600
}

// Warning is for the person, not for the agent.
type Warning struct{ Code, Text string }

// Stdin is how the agent's standard input is fed.
type Stdin string

// The stdin modes of a Launch.
const (
	StdinNone   Stdin = "none"   // end of file at once
	StdinPrompt Stdin = "prompt" // Launch.Prompt, as a file redirected
	StdinDuplex Stdin = "duplex" // what the harness writes, while it runs
)

// Launch says how to start the agent.
type Launch struct {
	Argv     []string
	Env      map[string]string
	Dir      string    // empty: Workspace.Root
	Stdin    Stdin     // empty: none
	Prompt   []byte    // with StdinPrompt
	Programs []Program // must be found before it starts
}

// Program is one that the agent needs.
type Program struct {
	Name    string
	Install string   // one line that installs it
	Version *Version // nil: any will do, and it isn't asked for it
}

// Version is the lowest version of a program that will do. The host asks the program
// for it, in the sandbox and before the agent is started, which takes as long as the
// program does; one that doesn't tell a version within 10 s is let pass.
type Version struct {
	Args []string // have it print its version and end, e.g. ["--version"]
	From string   // numbers with dots, e.g. "2.1.332"
	Why  string   // why not a lower one, as the end of a sentence
}

// Events are encoded AG-UI events, in order. Once per Lines, when all of it was
// read, JournalEnd is its End, also if there was nothing to emit; else it is 0.
type Events struct {
	Payloads   [][]byte
	JournalEnd int64
}

// Input is written to the agent's stdin. With EOF the stdin ends after Data: the
// agent's turn is over, and one that doesn't exit soon is ended by the host.
type Input struct {
	Data []byte
	EOF  bool
}

// Ask wants a decision. The harness goes on reading; the answer comes as a
// Decision.
type Ask struct {
	ID      string   // made by Session.NewID
	Kind    AskKind  // what is asked for
	Target  string   // the command line, the file's absolute path (of several, with ", " between), or the tool's name
	Dir     string   // absolute folder in which a command runs; empty: the workspace
	Title   string   // one line for the person, in the agent's words
	Options []Option // what the agent offers; empty: allow and deny
}

// Withdraw says that the agent waits for the answer to an Ask no longer: nobody is
// to be asked for it any more. A Decision may be on its way all the same.
type Withdraw struct{ Ask string }

// AskKind is what an Ask is about.
type AskKind string

// The kinds of Ask.
const (
	AskCommand   AskKind = "command"
	AskFileWrite AskKind = "file_write"
	AskNetwork   AskKind = "network"
	AskTool      AskKind = "tool"
)

// Option is one answer the agent offers.
type Option struct {
	ID    string
	Name  string
	Allow bool
	Once  bool // for this time only
}

// Done is the harness's last message.
type Done struct{ Result Result }

func (*Start) toHarness()    {}
func (*Lines) toHarness()    {}
func (*Stderr) toHarness()   {}
func (*Exit) toHarness()     {}
func (*Decision) toHarness() {}
func (*Cancel) toHarness()   {}

func (*Provision) fromHarness() {}
func (*Launch) fromHarness()    {}
func (*Events) fromHarness()    {}
func (*Input) fromHarness()     {}
func (*Ask) fromHarness()       {}
func (*Withdraw) fromHarness()  {}
func (*Done) fromHarness()      {}
