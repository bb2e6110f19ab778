package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

func (a *app) runsCmd() *cobra.Command {
	var threads bool
	c := &cobra.Command{
		Use:   "runs",
		Short: "List runs, or threads",
		Long: "List runs of all projects, the newest first: state, age, provider, cost in US dollars, and\n" +
			"what a live run waits on. A live run whose driver is gone gets another one.\n" +
			"With --threads, list the conversations instead.",
		Example: "  sandlot runs\n  sandlot runs --threads\n  sandlot runs --json",
		Args:    args(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			ctx := c.Context()
			st, home, err := a.openStore(ctx)
			if err != nil {
				return err
			}
			defer st.Close()
			if threads {
				return a.threads(ctx, st)
			}
			return a.listRuns(ctx, st, home)
		},
	}
	c.Flags().BoolVar(&threads, "threads", false, "list threads")
	return c
}

func (a *app) listRuns(ctx context.Context, st *store.Store, home string) error {
	list, err := runs.List(ctx, st, store.RunFilter{})
	if err != nil {
		return err
	}
	revived := runs.Revive(ctx, st, list, a.world.env, a.launcher(home, nil))
	if len(revived) > 0 {
		if list, err = runs.List(ctx, st, store.RunFilter{}); err != nil {
			return err
		}
	}
	if a.flags.json {
		err = lines(a, list, listedRunOf)
	} else {
		err = a.runsTable(list)
		a.sayWaiting(list)
	}
	if err != nil {
		return err
	}
	if err := runs.TidyUp(ctx, st, list, a.world.env, a.launcher(home, nil)); err != nil {
		return err
	}
	a.sayRevived(revived)
	return nil
}

// sayRevived tells which live runs had no driver, and whether they have one now.
func (a *app) sayRevived(revived []runs.Revival) {
	for _, r := range revived {
		if r.Err != nil {
			a.note("run %s has no driver: %s", r.Run, r.Err)
			continue
		}
		a.note("the driver of run %s was gone; another one has been started", r.Run)
	}
}

func (a *app) runsTable(list []runs.Entry) error {
	if len(list) == 0 {
		fmt.Fprintln(a.world.Stderr, "no runs yet; start one with: sandlot run \"...\"")
		return nil
	}
	p := paint{a.color(a.world.Stdout)}
	var t table
	t.add("RUN", "STATE", "AGE", "THREAD", "PROVIDER", "COST", "WAITING ON")
	now := time.Now()
	for _, e := range list {
		t.row(cell{text: e.Run.ID}, stateOf(e.Run, p), cell{text: ago(e.Run.Created, now)}, cell{text: e.Run.ThreadName},
			cell{text: e.Provider}, cell{text: dollars(e.Run.Cost)}, cell{text: waitsOn(e)})
	}
	return t.write(a.world.Stdout)
}

// stateOf is a run's state, with the reason for which it failed.
func stateOf(r store.Run, p paint) cell {
	switch r.Status {
	case store.Completed:
		return cell{string(r.Status), p.green}
	case store.Failed:
		return cell{oneLine(fmt.Sprintf("failed (%s)", or(r.Reason, "unknown")), 40), p.red}
	case store.Running:
		return cell{string(r.Status), p.cyan}
	}
	return cell{string(r.Status), p.dim}
}

func waitsOn(e runs.Entry) string {
	switch {
	case e.Run.Status.Terminal():
		return ""
	case !e.Driven:
		return "a driver"
	case e.Waits != nil:
		return oneLine(fmt.Sprintf("approval of %s: %s", e.Waits.Kind, or(e.Waits.Target, e.Waits.Title)), 60)
	}
	return ""
}

func dollars(cost *float64) string {
	if cost == nil {
		return ""
	}
	return fmt.Sprintf("$%.4f", *cost)
}

type listedRun struct {
	runLine

	Project   string          `json:"project"`
	Sandbox   string          `json:"sandbox"` // name of the block
	Provider  string          `json:"provider"`
	Created   time.Time       `json:"created"`
	Started   *time.Time      `json:"started,omitempty"`
	Finished  *time.Time      `json:"finished,omitempty"`
	Driven    bool            `json:"driven"` // a driver that lives has it
	WaitingOn *waitingOn      `json:"waiting_on,omitempty"`
	Usage     json.RawMessage `json:"usage,omitempty"`
	Cost      *float64        `json:"cost_usd,omitempty"`
}

type waitingOn struct {
	ID      string     `json:"id"`
	Kind    string     `json:"kind"`
	Target  string     `json:"target"`
	Title   string     `json:"title,omitempty"`
	Expires *time.Time `json:"expires,omitempty"`
}

func listedRunOf(e runs.Entry) listedRun {
	r := e.Run
	l := listedRun{
		runLine: runLineOf(r), Project: r.Project, Sandbox: e.Block, Provider: e.Provider, Created: r.Created,
		Started: known(r.Started), Finished: known(r.Finished), Driven: e.Driven && !r.Status.Terminal(), Usage: r.Usage, Cost: r.Cost,
	}
	if w := e.Waits; w != nil {
		l.WaitingOn = &waitingOn{w.ID, w.Kind, w.Target, w.Title, known(w.Expires)}
	}
	return l
}

// known leaves out a time that isn't known.
func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
