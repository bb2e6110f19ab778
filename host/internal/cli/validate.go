package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/config"
)

func (a *app) validateCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "validate",
		Short:   "Check the configuration",
		Long:    "Check the configuration: syntax, references, and each block against its plugin's schema.",
		Example: "  sandlot validate\n  sandlot validate -f examples/quickstart.hcl",
		Args:    args(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			project, err := a.load(c.Context())
			if err != nil {
				return err
			}
			names := project.Sandboxes()
			for _, name := range names {
				if _, diags := project.Sandbox(name); diags.HasErrors() {
					return a.diagnose(project, diags)
				}
			}
			if a.flags.json {
				return a.line(validLine{"valid", append([]string{}, names...)})
			}
			text := "the configuration is valid"
			if len(names) > 0 {
				text += "; sandboxes: " + strings.Join(names, ", ")
			}
			_, err = fmt.Fprintln(a.world.Stdout, text)
			return err
		},
	}
}

// load reads the configuration; what is wrong with it is rendered.
func (a *app) load(ctx context.Context) (*config.Project, error) {
	project, diags, err := a.read(ctx)
	if project == nil {
		return nil, err
	}
	if err := a.diagnose(project, diags); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	return project, nil
}

// read reads the configuration. An error beside a project says that plugins don't
// fit it.
func (a *app) read(ctx context.Context) (*config.Project, hcl.Diagnostics, error) {
	installed, err := a.plugins()
	if err != nil {
		return nil, nil, err
	}
	project, diags := config.Load(ctx, config.Options{
		Path: a.flags.file, Dir: a.world.Dir, Env: a.world.env, Version: a.world.Version,
		Inputs: a.flags.inputs, Schemas: a.schemas(installed),
	})
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if !diags.HasErrors() {
		err = a.checkRequired(ctx, installed, project)
	}
	return project, diags, err
}

type validLine struct {
	Type      string   `json:"type"` // "valid"
	Sandboxes []string `json:"sandboxes"`
}

// block reads the configuration and resolves one sandbox block of it, by name or
// the only one, with another harness block than its own if one is named.
func (a *app) block(ctx context.Context, name, harness string) (*config.Project, *config.Spec, error) {
	project, err := a.load(ctx)
	if err != nil {
		return nil, nil, err
	}
	spec, diags := project.SandboxWithHarness(name, harness)
	if err := a.diagnose(project, diags); err != nil {
		return nil, nil, err
	}
	return project, spec, nil
}

type diagnosticLine struct {
	Type     string `json:"type"`     // "diagnostic"
	Severity string `json:"severity"` // "error" or "warning"
	Summary  string `json:"summary"`
	Detail   string `json:"detail,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
}

// diagnose renders diagnostics; with an error among them it returns the exit
// code for an invalid configuration.
func (a *app) diagnose(project *config.Project, diags hcl.Diagnostics) error {
	return a.diagnoseFiles(project.Files(), diags)
}

func (a *app) diagnoseFiles(files map[string]*hcl.File, diags hcl.Diagnostics) error {
	if a.flags.json {
		for _, d := range diags {
			if err := a.line(lineOf(d)); err != nil {
				return err
			}
		}
	} else if err := config.Render(a.world.Stderr, diags, files, a.width(), a.color(a.world.Stderr)); err != nil {
		return err
	}
	if diags.HasErrors() {
		return said(exitUsage)
	}
	return nil
}

func lineOf(d *hcl.Diagnostic) diagnosticLine {
	l := diagnosticLine{Type: "diagnostic", Severity: "error", Summary: d.Summary, Detail: d.Detail}
	if d.Severity == hcl.DiagWarning {
		l.Severity = "warning"
	}
	if d.Subject != nil {
		l.File, l.Line, l.Column = d.Subject.Filename, d.Subject.Start.Line, d.Subject.Start.Column
	}
	return l
}
