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

type explainFlags struct{ sandbox, policy string }

func (a *app) policyExplainCmd() *cobra.Command {
	var f explainFlags
	c := &cobra.Command{
		Use:   "explain COMMAND",
		Short: "Tell what a policy decides about a command, part by part",
		Long: "Tell what a policy decides about a command: each part of it that a shell would run, with the\n" +
			"decision and the rule, then the whole, which is as strict as its strictest part. COMMAND is one\n" +
			"argument: quote it. Nothing is run.\n\n" +
			"The policy is that of the sandbox block, or the policy block that is named. With a sandbox, the\n" +
			"scripts of its workspace count, and it is told who holds the decision.\n\n" +
			"Exit codes: 0 whatever the decision, 2 usage or invalid configuration.",
		Example: "  sandlot policy explain 'npm test && git push'\n" +
			"  sandlot policy explain --policy careful \"sh -c 'sudo id'\" --json",
		Args: args(1, 1, "one argument, the command (quote it)"),
		RunE: func(c *cobra.Command, got []string) error { return a.explain(c.Context(), f, got[0]) },
	}
	s := c.Flags()
	s.StringVar(&f.sandbox, "sandbox", "", "sandbox `BLOCK` whose policy it is (default: the only one)")
	s.StringVar(&f.policy, "policy", "", "policy `BLOCK` to ask, whichever sandbox has it")
	return c
}

// explained is what is told of a command.
type explained struct {
	Type    string `json:"type"` // "policy"
	Policy  string `json:"policy"`
	Sandbox string `json:"sandbox,omitempty"` // empty with --policy
	Command string `json:"command"`
	Action  string `json:"action"`       // "allow", "ask" or "deny": of the whole
	Rule    string `json:"rule"`         // that decided it
	By      string `json:"by,omitempty"` // who holds it: "agent", "sandlot", "nobody"; empty with --policy
	How     string `json:"how,omitempty"`

	Parts []explainedPart `json:"parts"`
}

type explainedPart struct {
	Part   string `json:"part"` // a command, a file that is written, or what isn't known
	Action string `json:"action"`
	Rule   string `json:"rule"`
}

func (a *app) explain(ctx context.Context, f explainFlags, command string) error {
	switch {
	case f.sandbox != "" && f.policy != "":
		return usagef("--sandbox and --policy exclude each other: a sandbox block names its policy")
	case strings.TrimSpace(command) == "":
		return usagef("the command is empty; give it as one argument, in quotes")
	}
	subject, err := a.subject(ctx, f)
	if err != nil {
		return err
	}
	rules := runs.Rules(subject.policy, subject.scripts)
	whole := policy.Decide(rules, policy.Request{Kind: policy.Command, Target: command})
	e := explained{
		Type: "policy", Policy: subject.policy.Name, Sandbox: subject.block, Command: command,
		Action: string(whole.Action), Rule: whole.Rule,
	}
	for _, v := range policy.Explain(rules, command) {
		e.Parts = append(e.Parts, explainedPart{v.Part, string(v.Action), v.Rule})
	}
	if subject.traits != nil {
		e.By, e.How = runs.Holder(subject.traits.Commands, e.Action)
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
}

func (a *app) subject(ctx context.Context, f explainFlags) (subject, error) {
	if f.policy == "" {
		_, spec, err := a.block(ctx, f.sandbox, "")
		if err != nil {
			return subject{}, err
		}
		traits, err := a.traits(ctx, spec)
		return subject{spec.Policy, spec.Block, spec.Workspace.Scripts, traits}, err
	}
	project, err := a.load(ctx)
	if err != nil {
		return subject{}, err
	}
	pol, diags := project.Policy(f.policy)
	if err := a.diagnose(project, diags); err != nil {
		return subject{}, err
	}
	return subject{policy: *pol}, nil
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
	fmt.Fprintf(&out, "\n%s  %s; %s\n", colors[e.Action](e.Action), why(e.Rule), of)
	indent := strings.Repeat(" ", len(e.Action)+2)
	if byName {
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
// sure.
func why(rule string) string {
	word := "since"
	if strings.HasPrefix(rule, "commands.") && !strings.Contains(rule, " may hold") || rule == "default" || rule == "file_write" {
		word = "by rule"
	}
	return word + " " + oneLine(rule, 160)
}
