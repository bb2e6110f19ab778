package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/host/internal/policy"
	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

type explainFlags struct{ sandbox, policy, write, host string }

func (a *app) policyExplainCmd() *cobra.Command {
	var f explainFlags
	c := &cobra.Command{
		Use:   "explain [COMMAND]",
		Short: "Tell what a policy decides about a command, a file or a host",
		Long: "Tell what a policy decides about a command: each part of it that a shell would run, with the\n" +
			"decision and the rule, then the whole, which is as strict as its strictest part. COMMAND is one\n" +
			"argument: quote it. Nothing is run.\n\n" +
			"In place of a command, --write names a file that is written, and --host a host that is reached. The\n" +
			"file is one in the sandbox: a relative path is in the workspace, and links are followed by a run\n" +
			"alone. So is a relative path that a command writes to.\n\n" +
			"The policy is that of the sandbox block, or the policy block that is named. With a sandbox, the\n" +
			"scripts of its workspace count, and it is told who holds the decision.\n\n" +
			"Exit codes: 0 whatever the decision, 2 usage or invalid configuration.",
		Example: "  sandlot policy explain 'npm test && git push'\n" +
			"  sandlot policy explain --policy careful \"sh -c 'sudo id'\" --json\n" +
			"  sandlot policy explain --write /etc/hosts\n" +
			"  sandlot policy explain --host api.example.com",
		Args: args(0, 1, "one argument, the command (quote it)"),
		RunE: func(c *cobra.Command, got []string) error {
			r, err := f.request(c, got)
			if err != nil {
				return err
			}
			return a.explain(c.Context(), f, r)
		},
	}
	s := c.Flags()
	s.StringVar(&f.sandbox, "sandbox", "", "sandbox `BLOCK` whose policy it is (default: the only one)")
	s.StringVar(&f.policy, "policy", "", "policy `BLOCK` to ask, whichever sandbox has it")
	s.StringVar(&f.write, "write", "", "a file that is written, by its `PATH`, in place of a command")
	s.StringVar(&f.host, "host", "", "a `HOST` that is reached, or a URL, in place of a command")
	return c
}

// request is what is asked about: one of a command, a file and a host.
func (f explainFlags) request(c *cobra.Command, got []string) (policy.Request, error) {
	var all []policy.Request
	if len(got) > 0 {
		all = append(all, policy.Request{Kind: policy.Command, Target: got[0]})
	}
	if c.Flags().Changed("write") {
		all = append(all, policy.Request{Kind: policy.FileWrite, Target: f.write})
	}
	if c.Flags().Changed("host") {
		all = append(all, policy.Request{Kind: policy.Network, Target: f.host})
	}
	switch {
	case len(all) != 1:
		return policy.Request{}, usagef("give one of a command (in quotes), --write PATH and --host HOST; see sandlot policy explain --help")
	case f.sandbox != "" && f.policy != "":
		return policy.Request{}, usagef("--sandbox and --policy exclude each other: a sandbox block names its policy")
	}
	switch r := all[0]; {
	case r.Kind == policy.Command && strings.TrimSpace(r.Target) == "":
		return r, usagef("the command is empty; give it as one argument, in quotes")
	case r.Kind == policy.Network && policy.HostOf(r.Target) == "":
		return r, usagef("%q is no host; write one such as example.com, example.com:8443 or https://example.com/", r.Target)
	}
	return all[0], nil
}

// explained is what is told of a command, a file or a host.
type explained struct {
	Type    string `json:"type"` // "policy"
	Policy  string `json:"policy"`
	Sandbox string `json:"sandbox,omitempty"` // empty with --policy
	Command string `json:"command,omitempty"`
	Write   string `json:"write,omitempty"` // path of a file
	Host    string `json:"host,omitempty"`
	Action  string `json:"action"`       // "allow", "ask" or "deny": of the whole
	Rule    string `json:"rule"`         // that decided it
	By      string `json:"by,omitempty"` // who holds it: "agent", "sandlot", "nobody"; empty with --policy
	How     string `json:"how,omitempty"`

	Parts []explainedPart `json:"parts,omitempty"` // of a command
}

type explainedPart struct {
	Part   string `json:"part"` // a command, a file that is written, or what isn't known
	Action string `json:"action"`
	Rule   string `json:"rule"`
}

func (a *app) explain(ctx context.Context, f explainFlags, r policy.Request) error {
	subject, err := a.subject(ctx, f)
	if err != nil {
		return err
	}
	rules := runs.Rules(subject.policy, subject.scripts)
	rules.Places = subject.places
	whole := policy.Decide(rules, r)
	e := explained{
		Type: "policy", Policy: subject.policy.Name, Sandbox: subject.block, Action: string(whole.Action), Rule: whole.Rule,
	}
	var traits harness.Traits
	if subject.traits != nil {
		traits = *subject.traits
	}
	held := traits.Commands
	switch r.Kind {
	case policy.FileWrite:
		e.Write, held = r.Target, traits.FileWrites
	case policy.Network:
		e.Host, held = r.Target, traits.NetworkRules
	default:
		e.Command = r.Target
		for _, v := range policy.Explain(rules, r.Target) {
			e.Parts = append(e.Parts, explainedPart{v.Part, string(v.Action), v.Rule})
		}
	}
	switch {
	case subject.traits == nil:
	case r.Kind == policy.Network:
		e.By, e.How = runs.NetworkHolder(subject.policy.Network, held, e.Action)
	default:
		e.By, e.How = runs.Holder(held, e.Action)
	}
	if a.flags.json {
		return a.line(e)
	}
	return a.showExplained(e)
}

// subject is a policy that somebody asks about, and what goes with it.
type subject struct {
	policy  config.Policy
	block   string            // sandbox block; empty: the policy alone
	scripts map[string]string // of its workspace
	traits  *harness.Traits   // of its harness; nil: it doesn't say
	places  policy.Places     // that writes may reach
}

func (a *app) subject(ctx context.Context, f explainFlags) (subject, error) {
	temp, _ := a.world.env("TMPDIR")
	temp = runs.TempDir(temp)
	if f.policy == "" {
		_, spec, err := a.block(ctx, f.sandbox, "")
		if err != nil {
			return subject{}, err
		}
		s := subject{policy: spec.Policy, block: spec.Block, scripts: spec.Workspace.Scripts}
		if s.traits, err = a.traits(ctx, spec); err != nil {
			return s, err
		}
		var traits harness.Traits
		if s.traits != nil {
			traits = *s.traits
		}
		s.places, err = runs.PlacesOf(spec, traits, temp)
		return s, err
	}
	project, err := a.load(ctx)
	if err != nil {
		return subject{}, err
	}
	pol, diags := project.Policy(f.policy)
	if err := a.diagnose(project, diags); err != nil {
		return subject{}, err
	}
	return subject{policy: *pol, places: policy.Places{Beside: []string{temp}}}, nil
}

// traits are what the harness of a sandbox block says of its agent.
func (a *app) traits(ctx context.Context, spec *config.Spec) (*harness.Traits, error) {
	installed, err := a.plugins()
	if err != nil {
		return nil, err
	}
	d, err := installed.Describe(ctx, plugins.Harness, spec.Harness.Type, a.world.Environ)
	return d.Traits, err
}

// showExplained prints what is told of a command for a person.
func (a *app) showExplained(e explained) error {
	c := paint{a.color(a.world.Stdout)}
	colors := map[string]func(string) string{"allow": c.green, "ask": c.yellow, "deny": c.red}
	var t table
	byName := true
	for _, p := range e.Parts {
		t.row(cell{text: oneLine(p.Part, 80)}, cell{text: p.Action, paint: colors[p.Action]}, cell{text: oneLine(strings.TrimSuffix(p.Rule, ": "+p.Part), 160), paint: c.dim})
		byName = byName && p.Rule != e.Rule
	}
	var out strings.Builder
	_ = t.write(&out) // a builder takes everything
	of := "there is no policy block, so that all defaults hold"
	if e.Policy != "" {
		of = fmt.Sprintf("policy %q", e.Policy)
	}
	if len(e.Parts) > 0 {
		out.WriteString("\n")
	}
	fmt.Fprintf(&out, "%s  %s; %s\n", colors[e.Action](e.Action), why(e.Rule), of)
	indent := strings.Repeat(" ", len(e.Action)+2)
	if byName && e.Command != "" {
		fmt.Fprintf(&out, "%sit is a script of the workspace: rules for its name and its command both hold\n", indent)
	}
	if e.By != "" {
		fmt.Fprintf(&out, "%sheld by %s: %s\n", indent, e.By, e.How)
	}
	if _, err := a.world.Stdout.WriteString(out.String()); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// why words the rule that decided; some are reasons, where no rule could hold for
// sure, or is meant for something else.
func why(rule string) string {
	word := "since"
	reason, isReason := strings.CutPrefix(rule, "file_write: ")
	switch {
	case isReason:
		rule = reason
	case strings.HasPrefix(rule, "commands.") && !strings.Contains(rule, " may hold"), strings.HasPrefix(rule, "network."), rule == "default", rule == "file_write":
		word = "by rule"
	}
	return word + " " + oneLine(rule, 300)
}
