package plans

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// maker makes one plan.
type maker struct {
	Request

	plan     *Plan
	row      store.Thread        // zero: a new one
	about    plugins.Description // of the provider
	harness  plugins.Description
	provider runs.Provider // nil: it can't be asked
	why      error         // for that, or for its giving no answer
	asked    bool          // whether listed is what it has
	listed   []sandbox.Summary
}

// seeSecrets looks whether each secret is there.
func (m *maker) seeSecrets(ctx context.Context) error {
	states, err := runs.SecretStates(ctx, m.Spec, m.Engine.Env, m.Engine.Values)
	if err != nil {
		return err
	}
	for _, s := range states {
		m.plan.Secrets = append(m.plan.Secrets, Secret{s.Name, s.Source, s.Reason, s.Untold && s.Reason == ""})
		if s.Reason != "" {
			m.problem(s.Fix, "secret %s: %s", s.Name, s.Reason)
		}
		if s.Exposed != "" {
			m.warn(s.Hide, "secret %s: %s", s.Name, s.Exposed)
		}
	}
	return nil
}

// seeThread finds the thread, and whether it is free.
func (m *maker) seeThread(ctx context.Context) error {
	t := &m.plan.Thread
	*t = Thread{Name: m.Thread, New: true, Session: "a new conversation"}
	if m.Store == nil || m.Thread == "" {
		return nil
	}
	row, err := m.Store.Thread(ctx, m.Spec.Project, m.Thread)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look up thread: %w", err)
	}
	m.row, t.New = row, false
	for _, status := range []store.Status{store.Running, store.Pending} {
		live, err := m.Store.Runs(ctx, store.RunFilter{Project: m.Spec.Project, Thread: m.Thread, Status: status})
		if err != nil {
			return fmt.Errorf("look for a live run of thread %s: %w", m.Thread, err)
		}
		for _, r := range live {
			m.problem(fmt.Sprintf("wait for it, watch it with `sandlot attach %[1]s`, stop it with `sandlot cancel %[1]s`, or start another thread", r.ID),
				"thread %q is busy with run %s", m.Thread, r.ID)
		}
	}
	return nil
}

// startProvider describes the provider and starts it, to be asked.
func (m *maker) startProvider(ctx context.Context) error {
	spec := m.Spec.Provider
	p := &m.plan.Provider
	p.Type, p.Name = spec.Type, spec.Name
	d, err := m.Describe(ctx, plugins.Provider, spec.Type)
	if err == nil {
		m.about = d
		p.Version, p.Isolation, p.KillScope = d.Version, string(d.Isolation), string(d.KillScope)
		p.Env = envOf(d, m.Environ)
		running, rerr := m.Engine.Provider(ctx, m.Spec)
		if err = rerr; err == nil {
			m.provider = running
		}
	}
	if m.why = err; err != nil {
		m.unasked("provider", err)
		return nil
	}
	// Whether what it makes sandboxes of answers shows only when it is asked.
	if _, err := m.list(ctx); err != nil {
		m.why = err
		m.fault(fmt.Errorf("provider %s %q: %w", p.Type, p.Name, err))
	}
	return nil
}

// unasked tells why a plugin can't be asked, unless a secret's problem has told it.
func (m *maker) unasked(plugin string, err error) {
	i := slices.IndexFunc(m.plan.Secrets, func(s Secret) bool {
		return (s.Missing != "" || s.Untold) && strings.Contains(err.Error(), "secret "+s.Name+":")
	})
	switch {
	case i < 0:
		m.fault(err)
	case m.plan.Secrets[i].Untold:
		m.warn("", "the %s can't be asked, since it is configured with secret %s, which comes from a command: a plan doesn't run it",
			plugin, m.plan.Secrets[i].Name)
	}
}

// envOf is what a plugin would be given of the host's environment.
func envOf(d plugins.Description, environ []string) Env {
	e := Env{All: slices.Contains(d.Env, "*"), Count: len(plugins.Environ(environ, d.Env, ""))}
	if e.All {
		return e
	}
	e.Asks = d.Env
	for _, name := range d.Env {
		set := slices.ContainsFunc(environ, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
		if !set && !strings.HasSuffix(name, "*") {
			e.Unset = append(e.Unset, name)
		}
	}
	return e
}

// list asks the provider for what it has.
func (m *maker) list(ctx context.Context) ([]sandbox.Summary, error) {
	switch {
	case m.why != nil:
		return nil, m.why
	case !m.asked:
		listed, err := m.provider.List(ctx)
		if err != nil {
			return nil, err
		}
		m.asked, m.listed = true, listed
	}
	return m.listed, nil
}
