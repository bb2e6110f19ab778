package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/gc"
	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

func (a *app) gcCmd() *cobra.Command {
	o := gc.Options{Journals: gc.DefaultJournals, Mirrors: gc.DefaultMirrors, Crashes: gc.DefaultCrashes}
	var idle time.Duration
	idleFlag := durationFlag{to: &idle}
	c := &cobra.Command{
		Use:   "gc",
		Short: "Remove what nobody needs any more",
		Long: "Remove what nobody needs any more: sandboxes that weren't used for longer than their\n" +
			"lifecycle.keep_alive (30 minutes by default), those whose making or removal was cut short, those\n" +
			"that this store has made and doesn't know any more; snapshots that no new sandbox would be made of\n" +
			"(your own stay); what is kept of runs that ended long ago, beside their events; crash reports, copies of repositories, sockets of dead processes.\n\n" +
			"What a live run or command uses stays, and what has an unknown owner, and what a provider has\n" +
			"that gives no answer. Live runs whose drivers are gone get others.\n\n" +
			"Exit codes: 0 all was collected, 1 something couldn't be, or a provider gave no answer.",
		Example: "  sandlot gc --dry-run\n  sandlot gc\n  sandlot gc --idle 12h --keep-runs 7d",
		Args:    args(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.Crashes < 0 {
				return usagef("--keep-crashes %d: use 0 or more", o.Crashes)
			}
			if idleFlag.set {
				o.Idle = &idle
			}
			return a.gc(c.Context(), o)
		},
	}
	s := c.Flags()
	s.BoolVar(&o.DryRun, "dry-run", false, "tell what would be removed, and why; change nothing")
	s.Var(&idleFlag, "idle", "remove sandboxes not used for so long, instead of what lifecycle.keep_alive says")
	s.Var(&durationFlag{to: &o.Journals}, "keep-runs", "keep logs and journals of ended runs for so long")
	s.Var(&durationFlag{to: &o.Mirrors}, "keep-cache", "keep copies of repositories for so long after their last use")
	s.IntVar(&o.Crashes, "keep-crashes", o.Crashes, "keep so many `REPORTS` of crashes, the newest")
	return c
}

func (a *app) gc(ctx context.Context, o gc.Options) error {
	if a.flags.json {
		if err := a.begin(); err != nil {
			return err
		}
	}
	if !o.DryRun {
		over, err := a.makeRoom()
		if err != nil {
			return err
		}
		defer over()
	}
	st, err := a.storeIfThere(ctx)
	if err != nil {
		return err
	}
	var count collected
	if st != nil {
		defer st.Close()
		err = a.collect(ctx, st, o, &count)
	}
	if err != nil && !errors.Is(err, gc.ErrIncomplete) {
		return err
	}
	if !a.flags.json {
		if _, werr := fmt.Fprintln(a.world.Stdout, count.words(o.DryRun)); werr != nil {
			return fmt.Errorf("write output: %w", werr)
		}
	}
	if err != nil {
		return said(exitError)
	}
	return nil
}

func (a *app) collect(ctx context.Context, st *store.Store, o gc.Options, count *collected) error {
	engine, err := a.stderrEngine(st)
	if err != nil {
		return err
	}
	if o.DryRun {
		installed, err := a.pluginsAs(func(p *plugins.Options) { p.Traceless = true })
		if err != nil {
			return err
		}
		using, ok := engine.Plugins.(runs.Installed)
		if ok {
			using.Plugins = installed
			engine.Plugins = using
		}
	} else if err := a.reviveAll(ctx, st, engine.Home); err != nil {
		return err
	}
	var broken error
	c := gc.Collector{
		Engine: engine, Options: o,
		Tell: func(r gc.Removal) {
			r.Err = a.advised(a.mask.Error(r.Err))
			count.add(r)
			broken = errors.Join(broken, a.tellRemoval(r, o.DryRun))
		},
		Unreachable: func(words string) { a.note("%s", words) },
	}
	err = c.Run(ctx)
	if broken != nil {
		return broken
	}
	return err
}

// reviveAll starts drivers for live runs that have none, and for ended ones that
// left something in their sandboxes.
func (a *app) reviveAll(ctx context.Context, st *store.Store, home string) error {
	list, err := runs.List(ctx, st, store.RunFilter{})
	if err != nil {
		return err
	}
	launch := a.launcher(home, nil)
	a.sayRevived(runs.Revive(ctx, st, list, a.world.env, launch))
	return runs.TidyUp(ctx, st, list, a.world.env, launch)
}

type removalLine struct {
	Type   string `json:"type"` // "removal"
	DryRun bool   `json:"dry_run"`
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Why    string `json:"why"`
	Bytes  *int64 `json:"bytes,omitempty"` // freed; not there where it can't be told
	Kept   string `json:"kept,omitempty"`  // why it stays after all
	Error  string `json:"error,omitempty"` // why it couldn't be removed
}

func (a *app) tellRemoval(r gc.Removal, dry bool) error {
	if a.flags.json {
		l := removalLine{Type: "removal", DryRun: dry, Kind: string(r.Kind), Name: r.Name, Why: r.Why}
		if r.Bytes != gc.Unknown {
			l.Bytes = &r.Bytes
		}
		if r.Kept != nil {
			l.Kept = r.Kept.Error()
		}
		if r.Err != nil {
			l.Error = r.Err.Error()
		}
		return a.line(l)
	}
	p, e := paint{a.color(a.world.Stdout)}, paint{a.color(a.world.Stderr)}
	what := kindWords(r.Kind) + " " + p.bold(oneLine(r.Name, 200))
	size := ""
	if r.Bytes > 0 {
		size = ", " + bytesWords(r.Bytes)
	}
	var err error
	switch {
	case r.Err != nil:
		fmt.Fprintf(a.world.Stderr, "%s %s %s stays (%s): %s\n", e.red("✗"), kindWords(r.Kind), oneLine(r.Name, 200), oneLine(r.Why, 200), indented(r.Err.Error()))
	case r.Kept != nil:
		fmt.Fprintf(a.world.Stderr, "%s %s\n", e.yellow("!"), indented(r.Kept.Error()))
	case dry:
		_, err = fmt.Fprintf(a.world.Stdout, "would remove %s%s (%s)\n", what, size, oneLine(r.Why, 200))
	default:
		_, err = fmt.Fprintf(a.world.Stdout, "removed %s%s (%s)\n", what, size, oneLine(r.Why, 200))
	}
	if err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

func kindWords(k gc.Kind) string {
	return map[gc.Kind]string{
		gc.KindSnapshot: "snapshot", gc.KindSnapshotRow: "the entry of snapshot",
		gc.KindSandbox: "sandbox", gc.KindRow: "the entry of sandbox", gc.KindJournal: "logs and journal of run",
		gc.KindSocket: "sockets", gc.KindCommand: "a secret's command in", gc.KindCrash: "crash report", gc.KindMirror: "cached repositories in",
	}[k]
}

// collected counts.
type collected struct {
	things int
	bytes  int64
}

func (c *collected) add(r gc.Removal) {
	if r.Err != nil || r.Kept != nil {
		return
	}
	c.things++
	c.bytes += max(0, r.Bytes)
}

func (c *collected) words(dry bool) string {
	switch {
	case c.things == 0:
		return "nothing to collect"
	case dry:
		return fmt.Sprintf("%s would go, %s; nothing was changed", things(c.things), bytesWords(c.bytes))
	}
	return fmt.Sprintf("%s removed, %s freed", things(c.things), bytesWords(c.bytes))
}

func things(n int) string {
	if n == 1 {
		return "1 thing"
	}
	return fmt.Sprintf("%d things", n)
}

// bytesWords is a size for a person.
func bytesWords(n int64) string {
	const unit = 1000
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	size, units := float64(n)/unit, "kMGTPE"
	for size >= unit && len(units) > 1 {
		size, units = size/unit, units[1:]
	}
	return fmt.Sprintf("%.1f %cB", size, units[0])
}
