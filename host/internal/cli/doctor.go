package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/checkup"
	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/plans"
	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

func (a *app) doctorCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is missing or wrong on this machine, and how to mend it",
		Long: "Look for what is missing or wrong on this machine: the state folder and the store, plugins,\n" +
			"programs, the environment, what ended programs have left. With -f, or where the working\n" +
			"directory has a configuration, also what each of its sandboxes would need for a run: its\n" +
			"provider is started and asked. For each finding the one line that mends it is told.\n" +
			"Nothing is changed, and nobody on the network is asked but by a provider.\n\n" +
			"Exit codes: 0 nothing is wrong, 1 something is. Warnings and notes are nothing wrong.",
		Example: "  sandlot doctor\n  sandlot doctor -f agents/ --json",
		Args:    args(0, 0, "no arguments"),
		RunE:    func(c *cobra.Command, _ []string) error { return a.doctor(c.Context()) },
	}
}

func (a *app) doctor(ctx context.Context) error {
	home, err := a.world.home()
	if err != nil {
		return err
	}
	installed, err := a.pluginsAs(func(o *plugins.Options) { o.Traceless = true })
	if err != nil {
		return err
	}
	m := &checkup.Machine{
		Home: home, Executable: a.world.Executable, Environ: a.world.Environ, Plugins: installed, Now: time.Now(), Terminal: isTerminal(a.world.Stdout),
	}
	all := m.Check(ctx)
	outline := a.outline()
	_, unread := os.ReadDir(a.world.Dir)
	if a.flags.file != "" || outline.Folder != "" || unread != nil {
		all = append(all, m.Unused(outline.Variables)...)
		all = append(all, a.doctorProject(ctx)...)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	problems, warnings := 0, 0
	for _, f := range all {
		switch f.Level {
		case checkup.Problem:
			problems++
		case checkup.Warning:
			warnings++
		}
	}
	if err := a.showFindings(all, problems, warnings); err != nil {
		return err
	}
	if problems > 0 {
		return said(exitError)
	}
	return nil
}

// doctorProject looks at the configuration, and at what each sandbox of it needs.
func (a *app) doctorProject(ctx context.Context) []checkup.Finding {
	project, diags, err := a.read(ctx)
	if err != nil {
		return []checkup.Finding{{Check: "configuration", Level: checkup.Problem, Message: err.Error(), Fix: "sandlot plugin list"}}
	}
	all := checkup.Configuration(diags, a.flags.file)
	if diags.HasErrors() {
		return all
	}
	st, err := a.peekStore(ctx)
	if err != nil {
		return all // told of by the check of the store
	}
	if st != nil {
		defer st.Close()
	}
	for _, name := range project.Sandboxes() {
		found, err := a.doctorSandbox(ctx, st, project, name)
		if err != nil {
			found = []checkup.Finding{{
				Check: "sandbox " + name, Level: checkup.Problem, Message: err.Error(), Fix: "sandlot plan --sandbox " + name,
			}}
		}
		all = append(all, found...)
	}
	return all
}

func (a *app) doctorSandbox(ctx context.Context, st *store.Store, project *config.Project, name string) ([]checkup.Finding, error) {
	spec, diags := project.Sandbox(name)
	if diags.HasErrors() {
		return checkup.Configuration(diags, a.flags.file), nil
	}
	r, err := a.planRequest(st, project, spec, "")
	if err != nil {
		return nil, err
	}
	plan, err := plans.Make(ctx, r)
	if err != nil {
		return nil, err
	}
	return checkup.Plan(plan), nil
}

type findingLine struct {
	Type string `json:"type"` // "finding"

	checkup.Finding
}

type doctorLine struct {
	Type     string `json:"type"` // "doctor"
	Problems int    `json:"problems"`
	Warnings int    `json:"warnings"`
}

func (a *app) showFindings(all []checkup.Finding, problems, warnings int) error {
	if a.flags.json {
		if err := lines(a, all, func(f checkup.Finding) findingLine { return findingLine{"finding", f} }); err != nil {
			return err
		}
		return a.line(doctorLine{"doctor", problems, warnings})
	}
	p := paint{a.color(a.world.Stdout)}
	marks := map[checkup.Level]string{
		checkup.OK: p.green("ok     "), checkup.Note: p.dim("note   "), checkup.Warning: p.yellow("warning"), checkup.Problem: p.red("problem"),
	}
	wide := 0
	for _, f := range all {
		wide = max(wide, columns(f.Check))
	}
	var out strings.Builder
	for _, f := range all {
		fmt.Fprintf(&out, "%s  %s%s  %s\n", marks[f.Level], printable(f.Check), strings.Repeat(" ", wide-columns(f.Check)), indented(f.Message))
		if f.Fix != "" {
			fmt.Fprintf(&out, "%s  %s\n", strings.Repeat(" ", wide+9), p.bold("mend it: "+oneLine(f.Fix, 400)))
		}
	}
	fmt.Fprintf(&out, "\n%s\n", summary(problems, warnings))
	if _, err := a.world.Stdout.WriteString(out.String()); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

func summary(problems, warnings int) string {
	switch {
	case problems == 0 && warnings == 0:
		return "nothing is wrong"
	case problems == 0:
		return fmt.Sprintf("nothing is wrong; %s", several(warnings, "warning"))
	case warnings == 0:
		return several(problems, "problem")
	}
	return several(problems, "problem") + ", " + several(warnings, "warning")
}

func several(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
