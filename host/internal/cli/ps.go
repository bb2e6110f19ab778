package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// psClose is how long a plugin that hangs is given to end by itself: the whole
// answer is promised within 3 s.
const psClose = 200 * time.Millisecond

func (a *app) psCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "ps",
		Short: "List sandboxes",
		Long: "List the sandboxes that the store knows, joined with what their providers say.\n" +
			"Each provider is started with the configuration that its sandbox was made with, and asked.\n" +
			"States: those of the backend (running, stopped, unknown), creating, destroying, and\n" +
			"  gone         the provider doesn't have it any more\n" +
			"  unreachable  the provider gave no answer within 2 s, or an error, which is told\n" +
			"  orphan       the provider has it and the store doesn't know it any more\n" +
			"  unowned      it doesn't say who made it",
		Example: "  sandlot ps\n  sandlot ps --json",
		Args:    args(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			ctx := c.Context()
			st, _, err := a.openStore(ctx)
			if err != nil {
				return err
			}
			defer st.Close()
			return a.ps(ctx, st)
		},
	}
}

func (a *app) ps(ctx context.Context, st *store.Store) error {
	engine, err := a.stderrEngine(st)
	if err != nil {
		return err
	}
	if installed, ok := engine.Plugins.(runs.Installed); ok {
		installed.CloseTimeout = psClose
		engine.Plugins = installed
	}
	items, lost, err := sandboxes.Inventory(ctx, st, engine.ListSandboxes)
	if err != nil {
		return err
	}
	if a.flags.json {
		if err := lines(a, items, sandboxLineOf); err != nil {
			return err
		}
		return lines(a, lost, func(u sandboxes.Unreachable) unreachableLine {
			return unreachableLine{"unreachable", u.Type, u.Block, a.mask.Text(u.Err.Error())}
		})
	}
	if err := a.psTable(items); err != nil {
		return err
	}
	p := paint{a.color(a.world.Stderr)}
	for _, u := range lost {
		fmt.Fprintf(a.world.Stderr, "%s provider %q %q is unreachable: %s\n", p.yellow("!"), u.Type, u.Block, indented(a.mask.Text(u.Err.Error())))
	}
	return nil
}

func (a *app) psTable(items []sandboxes.Item) error {
	if len(items) == 0 {
		fmt.Fprintln(a.world.Stderr, "no sandboxes")
		return nil
	}
	p := paint{a.color(a.world.Stdout)}
	var t table
	t.add("SANDBOX", "BLOCK", "PROVIDER", "THREAD", "STATE", "AGE", "USED", "RUN")
	now := time.Now()
	for _, i := range items {
		state := cell{text: i.State}
		switch i.State {
		case string(sandbox.StateRunning):
			state.paint = p.green
		case sandboxes.StateUnreachable, sandboxes.StateOrphan, sandboxes.StateUnowned:
			state.paint = p.yellow
		case sandboxes.StateGone:
			state.paint = p.dim
		}
		t.row(cell{text: nameOf(i)}, cell{text: i.Block}, cell{text: i.Type}, cell{text: i.Thread}, state,
			cell{text: ago(i.Created, now)}, cell{text: ago(i.Used, now)}, cell{text: i.Run})
	}
	return t.write(a.world.Stdout)
}

// nameOf is what a person calls a sandbox: its id, or the name that its provider
// was to give it.
func nameOf(i sandboxes.Item) string {
	if i.ID == "" && len(i.Key) >= 16 {
		return "sandlot-" + i.Key[:16]
	}
	return i.ID
}

type sandboxLine struct {
	Type     string     `json:"type"` // "sandbox"
	Sandbox  string     `json:"sandbox"`
	Key      string     `json:"key,omitempty"`
	Block    string     `json:"block,omitempty"`
	Provider string     `json:"provider"`
	Project  string     `json:"project,omitempty"`
	Thread   string     `json:"thread,omitempty"`
	State    string     `json:"state"`
	Run      string     `json:"run,omitempty"`
	Created  *time.Time `json:"created,omitempty"`
	Used     *time.Time `json:"used,omitempty"`
}

type unreachableLine struct {
	Type     string `json:"type"` // "unreachable"
	Provider string `json:"provider"`
	Block    string `json:"block"` // name of the provider block
	Message  string `json:"message"`
}

func sandboxLineOf(i sandboxes.Item) sandboxLine {
	return sandboxLine{
		"sandbox", nameOf(i), i.Key, i.Block, i.Type, i.Project, i.Thread, i.State, i.Run, known(i.Created), known(i.Used),
	}
}
