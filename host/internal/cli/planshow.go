package cli

import (
	"fmt"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/plans"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// section is a part of what plan prints: a label, and lines beside it.
type section struct {
	label string
	lines []string
}

// showPlan prints a plan for a person.
func (a *app) showPlan(p *plans.Plan) error {
	c := paint{a.color(a.world.Stdout)}
	var out strings.Builder
	for _, s := range []section{
		{"run", planRun(p)},
		{"sandbox", planSandbox(c, p)},
		{"provider", planProvider(p)},
		{"agent", planAgent(c, p)},
		{"policy", planRules(c, p)},
		{"secrets", planSecrets(c, p)},
	} {
		for i, line := range s.lines {
			label := ""
			if i == 0 {
				label = s.label
			}
			fmt.Fprintf(&out, "%s%s%s\n", c.bold(label), strings.Repeat(" ", 10-len(label)), line)
		}
		out.WriteByte('\n')
	}
	for _, w := range p.Warnings {
		fmt.Fprintf(&out, "%s %s\n", c.yellow("!"), indented(w.String()))
	}
	for _, problem := range p.Problems {
		fmt.Fprintf(&out, "%s %s\n", c.red("✗"), indented(problem.String()))
	}
	if len(p.Problems) == 0 {
		fmt.Fprintf(&out, "%s the run could start; nothing was changed\n", c.green("✓"))
	} else {
		fmt.Fprintf(&out, "%s\n", c.red("the run couldn't start"))
	}
	if _, err := a.world.Stdout.WriteString(out.String()); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

func planRun(p *plans.Plan) []string {
	thread := "a new thread"
	switch {
	case p.Thread.Name != "" && p.Thread.New:
		thread += ", " + p.Thread.Name
	case p.Thread.Name != "":
		thread = "thread " + p.Thread.Name + ": " + oneLine(p.Thread.Session, 200)
	}
	return []string{fmt.Sprintf("sandbox block %q of %s", p.Block, printable(p.Project)), thread}
}

func planSandbox(c paint, p *plans.Plan) []string {
	s := p.Sandbox
	head := map[string]string{"resume": c.green("resume"), "restore": c.green("restore"), "create": c.cyan("create"), "unknown": c.yellow("unknown")}[s.Action]
	if s.ID != "" {
		head += " " + oneLine(s.ID, 80)
	}
	if s.Snapshot != "" {
		head += " snapshot " + oneLine(sandboxes.ShortID(s.Snapshot), 80)
	}
	lines := []string{head + ", since"}
	for _, why := range s.Why {
		lines = append(lines, "  "+oneLine(why, 300))
	}
	if len(s.Steps) > 0 {
		lines = append(lines, "making it:")
		for _, step := range s.Steps {
			lines = append(lines, "  "+oneLine(step, 200))
		}
	}
	if s.Before != "" {
		lines = append(lines, fmt.Sprintf("the one before, %s, stays with its files until `sandlot destroy %s` or gc removes it", s.Before, s.Before))
	}
	return append(lines, s.Then)
}

func planProvider(p *plans.Plan) []string {
	v := p.Provider
	lines := []string{
		strings.TrimSpace(fmt.Sprintf("%s %q %s", v.Type, v.Name, oneLine(v.Version, 40))),
		"isolation  " + isolationWords(v.Isolation),
		"kill       " + killWords(v.KillScope),
		"inherits   " + envWords(v.Env),
	}
	for i, c := range v.Cannot {
		label := "will not   "
		if i > 0 {
			label = "           "
		}
		lines = append(lines, label+oneLine(c, 200))
	}
	return lines
}

func isolationWords(s string) string {
	switch sandbox.Isolation(s) {
	case sandbox.IsolationNone:
		return "none: processes of this machine, as you, with your files in reach"
	case sandbox.IsolationContainer:
		return "a container"
	case sandbox.IsolationVM:
		return "a machine of its own"
	}
	return "not told by this plugin; known once there is a sandbox"
}

func killWords(s string) string {
	switch sandbox.KillScope(s) {
	case sandbox.KillCgroup:
		return "by cgroup: reaches every process of the agent"
	case sandbox.KillMark:
		return "by marks: all but a process that clears its environment and forks twice"
	}
	return "not told by this plugin; known once there is a sandbox"
}

func envWords(e plans.Env) string {
	switch {
	case e.All:
		return fmt.Sprintf("the whole environment of this shell, %d variables", e.Count)
	case len(e.Unset) > 0:
		return fmt.Sprintf("%d variables, the usual ones and %s; not set: %s", e.Count, strings.Join(e.Asks, ", "), strings.Join(e.Unset, ", "))
	case len(e.Asks) > 0:
		return fmt.Sprintf("%d variables, the usual ones and %s", e.Count, strings.Join(e.Asks, ", "))
	}
	return fmt.Sprintf("%d variables, the usual ones", e.Count)
}

func planAgent(c paint, p *plans.Plan) []string {
	v := p.Agent
	head := strings.TrimSpace(fmt.Sprintf("%s %q %s", v.Harness, v.Name, oneLine(v.Version, 40)))
	if v.Model != "" {
		head += ", model " + oneLine(v.Model, 60)
	}
	lines := []string{head}
	if len(v.Command) > 0 {
		lines = append(lines, "command    "+oneLine(strings.Join(v.Command, " "), 200))
	}
	for _, prog := range v.Programs {
		switch {
		case prog.Missing:
			lines = append(lines, "program    "+c.red(oneLine(prog.Name, 100)+" is missing"))
		case prog.Path != "":
			lines = append(lines, "program    "+oneLine(prog.Path, 200))
		default:
			lines = append(lines, "program    "+oneLine(prog.Name, 100)+", looked for in the sandbox when the run starts")
		}
	}
	return lines
}

func planRules(c paint, p *plans.Plan) []string {
	var t table
	for _, r := range p.Rules {
		color := map[string]func(string) string{"allow": c.green, "ask": c.yellow, "deny": c.red}[r.Action]
		t.row(cell{text: oneLine(r.Rule, 60)}, cell{text: r.Action, paint: color}, cell{text: "by " + r.By}, cell{text: r.How, paint: c.dim})
	}
	var out strings.Builder
	_ = t.write(&out) // a builder takes everything
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func planSecrets(c paint, p *plans.Plan) []string {
	if len(p.Secrets) == 0 {
		return []string{"none"}
	}
	var lines []string
	for _, s := range p.Secrets {
		state := c.green("there")
		if s.Missing != "" {
			state = c.red("missing")
		} else if s.Untold {
			state = c.yellow("its command isn't run for a plan")
		}
		lines = append(lines, fmt.Sprintf("%s from %s: %s", s.Name, oneLine(s.Source, 100), state))
	}
	return lines
}
