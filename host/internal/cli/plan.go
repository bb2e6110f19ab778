package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sandlot-dev/sandlot/host/internal/checkup"
	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/plans"
	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

func (a *app) planCmd() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "plan",
		Short: "Tell what run would do, and why",
		Long: "Tell what sandlot run would do with the same flags, and why: which sandbox it would resume or\n" +
			"create, what of the policy is held by whom, what is missing, what the provider will not do.\n" +
			"Plugins are started and asked; nothing is made or changed, and no secret is shown.\n\n" +
			"Exit codes: 0 the run could start, 1 something is missing, 2 usage or invalid configuration.",
		Example: "  sandlot plan\n  sandlot plan -c\n  sandlot plan -f agents/ --sandbox review --thread pr-17 --json",
		Args:    args(0, 0, "no arguments"),
		RunE:    func(c *cobra.Command, _ []string) error { return a.plan(c.Context(), f) },
	}
	s := c.Flags()
	s.StringVar(&f.sandbox, "sandbox", "", "sandbox `BLOCK` to use (default: the only one)")
	s.StringVar(&f.thread, "thread", "", "`NAME` of the thread to start or go on with (default: a new one)")
	s.BoolVarP(&f.resume, "continue", "c", false, "go on with the project's last thread")
	s.StringVar(&f.harness, "harness", "", "harness `BLOCK` to use instead of the sandbox's own")
	return c
}

func (a *app) plan(ctx context.Context, f runFlags) error {
	f.approve = string(runs.ApproveAsk)
	if err := f.check(); err != nil {
		return err
	}
	project, spec, err := a.block(ctx, f.sandbox, f.harness)
	if err != nil {
		return err
	}
	st, err := a.planStore(ctx)
	if err != nil {
		return err
	}
	if st != nil {
		defer st.Close()
	}
	if f.resume {
		if f.thread, err = lastThread(ctx, st, spec.Project); err != nil {
			return err
		}
	}
	r, err := a.planRequest(st, project, spec, f.thread)
	if err != nil {
		return err
	}
	plan, err := plans.Make(ctx, r)
	if err != nil {
		return fmt.Errorf("make plan: %w", err)
	}
	if err := a.planState(plan); err != nil {
		return err
	}
	if a.flags.json {
		err = a.line(planLine{"plan", len(plan.Problems) == 0, plan})
	} else {
		err = a.showPlan(plan)
	}
	if err == nil && len(plan.Problems) > 0 {
		err = said(exitError)
	}
	return err
}

// planState adds what keeps the run from being written down.
func (a *app) planState(plan *plans.Plan) error {
	home, err := a.world.home()
	if err != nil {
		return err
	}
	m := checkup.Machine{Home: home}
	for _, f := range m.StateFolder() {
		plan.Problems = append(plan.Problems, plans.Finding{Message: "state folder: " + f.Message, Fix: f.Fix})
	}
	return nil
}

type planLine struct {
	Type  string `json:"type"`  // "plan"
	Ready bool   `json:"ready"` // a run could start

	*plans.Plan
}

func (a *app) planRequest(st *store.Store, project *config.Project, spec *config.Spec, thread string) (plans.Request, error) {
	log, err := a.log()
	if err != nil {
		return plans.Request{}, err
	}
	home, err := a.world.home()
	if err != nil {
		return plans.Request{}, err
	}
	installed, err := a.pluginsAs(func(o *plugins.Options) { o.Traceless = true })
	if err != nil {
		return plans.Request{}, err
	}
	using := runs.Installed{Plugins: installed, Environ: a.world.Environ, Log: log}
	if st != nil {
		using.Owner = st.Owner()
	}
	return plans.Request{
		Spec: spec, Thread: thread, Store: st, Environ: a.world.Environ,
		Engine: &runs.Engine{
			Store: st, Home: home, Env: a.world.env, Values: project.SecretValues(), NoCommands: true, Log: log, Mask: a.mask, Plugins: using,
		},
		Describe: func(ctx context.Context, kind plugins.Kind, typ string) (plugins.Description, error) {
			return installed.Describe(ctx, kind, typ, a.world.Environ)
		},
	}, nil
}

// storeIfThere opens the store, and makes none: nil if there is none.
func (a *app) storeIfThere(ctx context.Context) (*store.Store, error) {
	home, err := a.world.home()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(home, "store.db")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return store.Open(ctx, file)
}

// planStore opens the store to be read, or, where it is one of an older version, as
// a run would: it can't be read before it is brought up to date.
func (a *app) planStore(ctx context.Context) (*store.Store, error) {
	st, err := a.peekStore(ctx)
	if _, older := errors.AsType[*store.OlderError](err); older {
		return a.storeIfThere(ctx)
	}
	return st, err
}

// peekStore opens the store to be read alone: nil if there is none.
func (a *app) peekStore(ctx context.Context) (*store.Store, error) {
	home, err := a.world.home()
	if err != nil {
		return nil, err
	}
	st, err := store.Peek(ctx, filepath.Join(home, "store.db"))
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return st, err
}

// lastThread is the name of the thread that -c goes on with.
func lastThread(ctx context.Context, st *store.Store, project string) (string, error) {
	err := store.ErrNotFound
	var last store.Thread
	if st != nil {
		last, err = st.LastThread(ctx, project)
	}
	if errors.Is(err, store.ErrNotFound) {
		return "", usagef("-c: the project in %s has no thread yet; leave -c out to start one", project)
	}
	return last.Name, err
}
