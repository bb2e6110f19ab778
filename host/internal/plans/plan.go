package plans

import (
	"context"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// Patience is how long each of the two plugins has for its answers, its start
// included.
const Patience = 20 * time.Second

// Request is a run that somebody thinks about.
type Request struct {
	Spec    *config.Spec
	Thread  string       // name of the thread; empty: a new one
	Store   *store.Store // nil: there is none yet
	Engine  *runs.Engine // its Store is Store
	Environ []string     // the host's
	// Describe tells what a plugin says of itself.
	Describe func(ctx context.Context, kind plugins.Kind, typ string) (plugins.Description, error)
}

// Plan is what the run would do. Its texts are for people, and hold no secret.
type Plan struct {
	Block    string    `json:"block"`
	Project  string    `json:"project"`
	Thread   Thread    `json:"thread"`
	Sandbox  Sandbox   `json:"sandbox"`
	Provider Provider  `json:"provider"`
	Agent    Agent     `json:"agent"`
	Rules    []Rule    `json:"rules"`
	Secrets  []Secret  `json:"secrets"`
	Problems []Finding `json:"problems"` // what would keep the run from starting; none: it could
	Warnings []Finding `json:"warnings"` // what wouldn't, but may not be what was meant
}

// Thread is the conversation.
type Thread struct {
	Name    string `json:"name,omitempty"` // empty: a name that is made up
	New     bool   `json:"new"`
	Session string `json:"session"` // what becomes of the agent's own session, in words
}

// Sandbox is where the run would take place.
type Sandbox struct {
	Action   string   `json:"action"`             // "resume", "restore", "create", or "unknown" where its provider gives no answer
	ID       string   `json:"id,omitempty"`       // of what is resumed
	Snapshot string   `json:"snapshot,omitempty"` // id of the one that is restored
	Why      []string `json:"why"`                // for the action
	Steps    []string `json:"steps,omitempty"`    // what making it does, in order
	Before   string   `json:"before,omitempty"`   // id of the one that the thread used so far
	Then     string   `json:"then"`               // what becomes of it after the run, and of the one before
}

// Provider makes the sandbox.
type Provider struct {
	Type      string   `json:"type"`
	Name      string   `json:"name"`
	Version   string   `json:"version,omitempty"`
	Isolation string   `json:"isolation"` // "none", "container", "vm"; empty: not told
	KillScope string   `json:"kill_scope"`
	Cannot    []string `json:"cannot"` // what it will not do, in words
	Env       Env      `json:"env"`
}

// Env is what of the host's environment a plugin is given.
type Env struct {
	All   bool     `json:"all"`             // all of it
	Count int      `json:"count"`           // how many variables
	Asks  []string `json:"asks,omitempty"`  // what the plugin asks for beside the usual ones
	Unset []string `json:"unset,omitempty"` // which of these aren't set
}

// Agent is who would work.
type Agent struct {
	Harness  string    `json:"harness"` // type of the harness
	Name     string    `json:"name"`
	Version  string    `json:"version,omitempty"` // of the harness
	Model    string    `json:"model,omitempty"`   // empty: the agent's own default
	AuthMode string    `json:"auth_mode"`
	Command  []string  `json:"command"` // how it would be launched; none: the harness didn't say
	Programs []Program `json:"programs"`
}

// Program is one that the agent needs.
type Program struct {
	Name    string `json:"name"`
	Path    string `json:"path,omitempty"`    // where it is; empty: missing, or looked for in the sandbox
	Missing bool   `json:"missing"`           // it was looked for, and isn't there
	Install string `json:"install,omitempty"` // how to get it
}

// Rule is one rule of the policy.
type Rule struct {
	Rule   string `json:"rule"`   // e.g. `commands "git diff *"`
	Action string `json:"action"` // "allow", "ask", "deny"
	By     string `json:"by"`     // who holds it: "agent", "sandlot", "nobody", "unknown"
	How    string `json:"how"`    // in words
}

// Secret is one that the run needs.
type Secret struct {
	Name    string `json:"name"`
	Source  string `json:"source"`
	Missing string `json:"missing,omitempty"` // why it can't be used; empty: it is there
	Untold  bool   `json:"untold,omitempty"`  // a command gives it, which a plan doesn't run
}

// Make makes the plan. An error says that even that isn't possible; what would
// keep the run from starting is among the plan's Problems.
func Make(ctx context.Context, r Request) (*Plan, error) {
	m := &maker{Request: r, plan: &Plan{
		Block: r.Spec.Block, Project: r.Spec.Project, Rules: []Rule{}, Secrets: []Secret{}, Problems: []Finding{}, Warnings: []Finding{},
		Provider: Provider{Cannot: []string{}}, Agent: Agent{Command: []string{}, Programs: []Program{}},
	}}
	defer m.close()
	for _, step := range []func(context.Context) error{
		m.seeSecrets, m.seeThread, within(m.startProvider, m.seeSandbox), m.seeLeaks, within(m.seeAgent), m.seeRules, m.seeAbilities, m.seeLiterals,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return m.plan, nil
}

// within has the steps of one plugin take no longer than that may: it isn't to use
// up the other's time.
func within(steps ...func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeoutCause(ctx, Patience, errNoAnswer)
		defer cancel()
		for _, step := range steps {
			if err := step(ctx); err != nil {
				return err
			}
		}
		return nil
	}
}

var errNoAnswer = fmt.Errorf("no answer within %s: it hangs, or what it works with does", Patience)
