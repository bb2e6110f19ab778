package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/journal"
	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// attempt drives the run from wherever it stands: plugins, sandbox, agent,
// output, end. It returns nil once the terminal event is written.
func (d *drive) attempt(ctx context.Context) (err error) {
	d.run, err = lookUp(ctx, d.log, func() (store.Run, error) { return d.Store.Run(ctx, d.id) })
	if err != nil {
		return fmt.Errorf("read run: %w", err)
	}
	if d.canceled.Err() != nil { // whatever was started is to be stopped, for which no harness is needed
		if err := d.bury(ctx); err != nil {
			return err
		}
		return d.end(ctx, canceledOutcome())
	}
	prov, harn, err := d.plugins(ctx)
	switch {
	case err != nil && d.restartable(err):
		return &lostError{err}
	case err != nil && len(d.run.Launch) > 0:
		return fmt.Errorf("%w: %w", errStaysOpen, err)
	case err != nil:
		return err
	}
	defer prov.Close()
	defer harn.Close()
	// Who starts a run has looked at that too, perhaps with another program.
	err = cmp.Or(CheckStrict(d.record.Spec, harn.Traits()), networkHeld(d.record.Spec, harn.Traits(), prov), CheckSchema(d.record.Spec, harn.Traits(), d.record.Schema))
	if err != nil && len(d.run.Launch) == 0 {
		return &endError{harness.ReasonBootstrapFailed, err.Error()}
	}
	err = d.work(ctx, prov, harn)
	if err != nil && (prov.Err() != nil || harn.Err() != nil) {
		return lostBy(err, prov.Err(), harn.Err())
	}
	return err
}

// work is an attempt whose plugins run. After an error the agent may live; who
// writes the run's end sees to it.
func (d *drive) work(ctx context.Context, prov Provider, harn Harness) error {
	sb, err := d.ensure(ctx, prov)
	if err != nil {
		return err
	}
	d.reached = true
	if err := d.endStrays(ctx, sb); err != nil {
		return err
	}
	files, err := sandbox.As[sandbox.Filer](sb)
	if err != nil {
		return err
	}
	defer d.keepAlive(ctx, sb)()
	outcome, err := d.drivenToEnd(ctx, harn, sb, files.Files())
	if err != nil {
		return err
	}
	d.seeChanges(ctx, sb)
	if err := d.keepRun(ctx, prov, sb, outcome); err != nil {
		return err
	}
	if err := d.end(ctx, outcome); err != nil {
		return err
	}
	d.archive(ctx, sb)
	d.discard(ctx, prov, outcome.Status == store.Canceled)
	return nil
}

// drivenToEnd drives the run's agent to its end, and the one that is started in
// its place if it doesn't know its session.
func (d *drive) drivenToEnd(ctx context.Context, harn Harness, sb sandbox.Sandbox, files sandbox.Files) (store.Outcome, error) {
	for {
		p := &pump{
			drive: d, sandbox: sb, proc: agentID(d.run.ID),
			journal: journal.Open(files, sb.Info().StateDir, d.run.ID),
		}
		outcome, err := p.toEnd(ctx, harn)
		if !errors.Is(err, errBegunAnew) {
			return outcome, err
		}
		d.noted, d.closed = nil, false
		d.run, err = lookUp(ctx, d.log, func() (store.Run, error) { return d.Store.Run(ctx, d.id) })
		if err != nil {
			return outcome, fmt.Errorf("read run: %w", err)
		}
	}
}

// restartable reports whether a plugin that didn't start may do so at another
// try: it was killed, or it has worked before. One that never did is told of at
// once.
func (d *drive) restartable(err error) bool {
	return plugins.Killed(err) || d.lost != nil && (errors.Is(err, sandbox.Unavailable) || errors.Is(err, sandbox.TimedOut))
}

// plugins starts both plugins side by side.
func (d *drive) plugins(ctx context.Context) (Provider, Harness, error) {
	var (
		prov Provider
		harn Harness
		spec = d.record.Spec
		g    errgroup.Group
	)
	g.Go(func() (err error) {
		cfg, err := spec.Provider.Reveal(expander(d.secrets))
		if err == nil {
			prov, err = d.Plugins.Provider(ctx, blockOf(spec.Provider, cfg, d.secrets))
		}
		return located(spec.Provider, err)
	})
	g.Go(func() (err error) {
		cfg, err := spec.Harness.Reveal(expander(d.secrets))
		if err == nil {
			harn, err = d.Plugins.Harness(ctx, blockOf(spec.Harness.Plugin, cfg, d.secrets))
		}
		return located(spec.Harness.Plugin, err)
	})
	if err := g.Wait(); err != nil {
		if prov != nil {
			_ = prov.Close()
		}
		if harn != nil {
			_ = harn.Close()
		}
		return nil, nil, err
	}
	return prov, harn, nil
}

// ensure resumes or makes the sandbox. A cancel request ends it.
func (d *drive) ensure(ctx context.Context, prov Provider) (sandbox.Sandbox, error) {
	spec := d.record.Spec
	want, err := wanted(spec, d.run.Thread, d.run.ID)
	if err != nil {
		return nil, err
	}
	if err := d.update(ctx, store.RunUpdate{Key: &want.Key, Sandbox: &want.Key}); err != nil {
		return nil, fmt.Errorf("note sandbox of the run: %w", err)
	}
	d.run.Sandbox = want.Key
	fill, err := d.fill(spec, d.secrets, len(d.run.Launch) > 0)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex // phases and output are told by several goroutines
	tell := func(e agui.Event) {
		mu.Lock()
		defer mu.Unlock()
		d.log.host(ctx, e)
	}
	fill.Output = func(o sandboxes.Output) { tell(outputEvent(o)) }
	fill.Fetch.Warn = func(code, text string) { tell(warning(code, text)) }
	making := ctx
	if len(d.run.Launch) == 0 {
		making = d.canceled // nothing to look after yet: a cancel request ends it
	}
	if prev, err := previous(d.run); err != nil {
		return nil, err
	} else if prev != nil {
		want.Existing = prev.begun() // in another its agent can't be, nor what that has printed
	}
	want.Fill, want.Claimant = fill, claimant(d.may)
	want.Claimant.What = "run " + d.run.ID
	sb, err := sandboxes.Ensure(making, d.Store, prov, want, func(p sandboxes.Phase) { tell(phaseEvent(p)) })
	return sb, located(spec.Provider, err)
}

// startMessage is what the harness is told first.
func (p *pump) startMessage(replay bool) (*harness.Start, error) {
	start, info := startOf(p.record.Spec), p.sandbox.Info()
	start.Run, start.Prompt, start.Session, start.Replay = p.run.ID, p.record.Prompt, p.resumes, replay
	start.History, start.Schema = p.history, p.record.Schema
	start.Workspace = harness.Workspace{Root: info.Root, Home: info.Home, StateDir: p.journal.Folder()}
	start.Capabilities, start.Isolation = info.Capabilities, info.Isolation
	expand := expander(p.secrets)
	if replay { // nothing is launched, and a secret may be gone by now
		expand = withoutSecrets
	}
	var err error
	start.MCP, err = mcpServers(p.record.Spec.Workspace, expand)
	return start, err
}

// startOf is as much of the first message as the spec tells.
func startOf(spec *config.Spec) *harness.Start {
	pol := spec.Policy
	return &harness.Start{
		Model: spec.Harness.Model, AuthMode: spec.Harness.AuthMode,
		Policy: harness.Policy{
			Default: pol.Default, FileWrite: pol.FileWrite,
			Allow: pol.Commands.Allow, Ask: pol.Commands.Ask, Deny: pol.Commands.Deny,
			Network: pol.Network.Default, AllowHosts: pol.Network.AllowHosts,
		},
		Secrets: spec.Workspace.Secrets,
	}
}
