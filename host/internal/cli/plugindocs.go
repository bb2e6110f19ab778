package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/host/internal/reference"
	"github.com/sandlot-dev/sandlot/sdk/schema"
)

func (a *app) pluginDocsCmd() *cobra.Command {
	var kind string
	c := &cobra.Command{
		Use:   "docs [TYPE]",
		Short: "Print a page about a plugin: its arguments and what it can do",
		Long: "Print a page about a plugin in Markdown, made of what the installed program says of itself: its\n" +
			"arguments with types and defaults, what it can do, which environment it gets. TYPE is a type as\n" +
			"configurations have it; without it, there is a page for each plugin that is used.",
		Example: "  sandlot plugin docs localprocess\n  sandlot plugin docs --kind harness >harnesses.md",
		Args:    args(0, 1, "at most one argument, the type of a plugin"),
		RunE: func(c *cobra.Command, got []string) error {
			kinds := []plugins.Kind{plugins.Provider, plugins.Harness}
			if kind != "" {
				if kind != string(plugins.Provider) && kind != string(plugins.Harness) {
					return usagef("--kind is provider or harness, not %q", kind)
				}
				kinds = []plugins.Kind{plugins.Kind(kind)}
			}
			installed, err := a.plugins()
			if err != nil {
				return err
			}
			if a.flags.json {
				if err := a.begin(); err != nil {
					return err
				}
			}
			if len(got) == 1 {
				return a.docsOf(c.Context(), installed, kinds, got[0])
			}
			return a.docsOfAll(c.Context(), installed, kinds)
		},
	}
	c.Flags().StringVar(&kind, "kind", "", "`KIND` of plugin: provider or harness (default: both)")
	return c
}

// docsOf prints the page of one type, or both where a provider and a harness have
// it.
func (a *app) docsOf(ctx context.Context, installed *plugins.Plugins, kinds []plugins.Kind, typ string) error {
	known := kinds[:0:0]
	for _, kind := range kinds {
		for _, c := range installed.Candidates() {
			if c.Kind == kind && c.Type == typ {
				known = append(known, kind)
				break
			}
		}
	}
	if len(known) == 0 {
		return a.noSuchPlugin(installed, kinds, typ)
	}
	for i, kind := range known {
		if err := a.docs(ctx, installed, kind, typ, i == 0); err != nil {
			return err
		}
	}
	return nil
}

// noSuchPlugin says what there is, of all kinds that were asked for.
func (a *app) noSuchPlugin(installed *plugins.Plugins, kinds []plugins.Kind, typ string) error {
	_, err := installed.Find(kinds[0], typ)
	if len(kinds) == 1 {
		return err
	}
	var there []string
	for _, c := range installed.Candidates() {
		if c.Refused == "" && !c.Hidden {
			there = append(there, c.Type)
		}
	}
	what := fmt.Sprintf("find plugin %q: there is no provider and no harness of that type in %s", typ, strings.Join(installed.Folders(), ", "))
	if like := config.Closest(typ, there); like != "" {
		return fmt.Errorf("%s; did you mean %q?", what, like)
	}
	if len(there) > 0 {
		return fmt.Errorf("%s; there are: %s", what, strings.Join(there, ", "))
	}
	return fmt.Errorf("%s", what)
}

// docsOfAll prints a page for each that is used. One that fails is told of, and the
// others are printed.
func (a *app) docsOfAll(ctx context.Context, installed *plugins.Plugins, kinds []plugins.Kind) error {
	failed, printed := false, false
	for _, kind := range kinds {
		for _, c := range installed.Candidates() {
			if c.Kind != kind || c.Refused != "" || c.Hidden {
				continue
			}
			if err := a.docs(ctx, installed, kind, c.Type, !printed); err != nil {
				if ctx.Err() != nil {
					return err
				}
				a.report(err)
				failed = true
				continue
			}
			printed = true
		}
	}
	switch {
	case failed:
		return said(exitError)
	case !printed && !a.flags.json:
		fmt.Fprintf(a.world.Stderr, "no plugins in %s\n", strings.Join(installed.Folders(), ", "))
	}
	return nil
}

type docsLine struct {
	Type        string              `json:"type"` // "plugin_docs"
	Kind        string              `json:"kind"`
	Name        string              `json:"name"`
	Markdown    string              `json:"markdown"`
	Description plugins.Description `json:"description"` // as the plugin gives it
}

func (a *app) docs(ctx context.Context, installed *plugins.Plugins, kind plugins.Kind, typ string, first bool) error {
	d, err := installed.Describe(ctx, kind, typ, a.world.Environ)
	if err != nil {
		return err
	}
	var common schema.Block
	if kind == plugins.Harness {
		if common, err = config.HarnessArguments(); err != nil {
			return err
		}
	}
	text := reference.Page(d, common)
	if a.flags.json {
		return a.line(docsLine{"plugin_docs", string(kind), typ, text, d})
	}
	if !first {
		text = "\n" + text
	}
	if _, err := a.world.Stdout.WriteString(text); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}
