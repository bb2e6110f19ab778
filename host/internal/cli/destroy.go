package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

func (a *app) destroyCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "destroy SANDBOX",
		Short: "Remove a sandbox with all that is in it",
		Long: "Remove a sandbox: its processes, its files, and its entry in the inventory.\n" +
			"SANDBOX is its id, an unambiguous start of it, or the name of a sandbox block of which\n" +
			"only one instance exists. A sandbox that a live run uses is not removed.",
		Example: "  sandlot destroy quickstart\n  sandlot destroy sandlot-3f9a0c",
		Args:    args(1, 1, "one argument, the sandbox"),
		RunE: func(c *cobra.Command, ref []string) error {
			ctx := c.Context()
			over, err := a.makeRoom()
			if err != nil {
				return err
			}
			defer over()
			st, _, err := a.openStore(ctx)
			if err != nil {
				return err
			}
			defer st.Close()
			row, err := findSandbox(ctx, st, ref[0])
			if err != nil {
				return err
			}
			if err := a.destroy(ctx, st, row); err != nil {
				return err
			}
			if a.flags.json {
				return a.line(map[string]string{"type": "destroyed", "sandbox": row.ID})
			}
			_, err = fmt.Fprintf(a.world.Stdout, "sandbox %s is destroyed\n", row.ID)
			return err
		},
	}
}

func (a *app) destroy(ctx context.Context, st *store.Store, row store.SandboxRow) error {
	var spec config.Spec
	if err := json.Unmarshal(row.Spec, &spec); err != nil {
		return fmt.Errorf("read spec of sandbox %s: %w", row.ID, err)
	}
	engine, err := a.stderrEngine(st)
	if err != nil {
		return err
	}
	provider, err := engine.Provider(ctx, &spec)
	if err != nil {
		return err
	}
	defer provider.Close()
	if err := engine.Rescue(ctx, provider, row); err != nil {
		return err
	}
	err = sandboxes.Destroy(ctx, st, provider, row.Key, "", runs.Claimant())
	if busy, ok := errors.AsType[*sandboxes.InUseError](err); ok && busy.Run == "" {
		return fmt.Errorf("%w; wait for it, or end it first", err)
	} else if ok {
		return fmt.Errorf("%w; stop it first: sandlot cancel %s", err, busy.Run)
	}
	return err
}

// findSandbox finds the one sandbox that a person means.
func findSandbox(ctx context.Context, st *store.Store, ref string) (store.SandboxRow, error) {
	rows, err := st.FindSandboxes(ctx, ref)
	switch {
	case err != nil:
		return store.SandboxRow{}, fmt.Errorf("find sandbox %q: %w", ref, err)
	case len(rows) == 0:
		return store.SandboxRow{}, fmt.Errorf("find sandbox %q: there is none with that id, start of an id, or block name in %s", ref, st.Path())
	case len(rows) > 1:
		var which []string
		for _, r := range rows {
			name := or(r.ID, "sandlot-"+r.Key[:16])
			if t, err := st.ThreadByID(ctx, r.Thread); err == nil {
				name += fmt.Sprintf(" (thread %s of %s)", t.Name, t.Project)
			}
			which = append(which, name)
		}
		return store.SandboxRow{}, fmt.Errorf("find sandbox %q: several fit, name one of them by its id:\n%s", ref, strings.Join(which, "\n"))
	}
	return rows[0], nil
}
