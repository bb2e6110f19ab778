package runs

import (
	"context"
	"errors"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/secrets"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// SecretState is whether one secret can be had. It doesn't hold the value.
type SecretState struct {
	Name   string
	Source string // where it comes from, in words
	Reason string // why it can't be used; empty: it can
	Fix    string // what to do about it

	// Untold is true of one that a command gives, which isn't run to see whether it can.
	Untold bool
	// Exposed says who else can read where it comes from; empty: nobody, or it can't be told.
	Exposed string
	// Hide is the command that keeps them from it, where Exposed says something.
	Hide string
}

// SecretStates looks for each secret of a spec, without running commands. Values are
// dropped as soon as it is seen that they are there.
func SecretStates(ctx context.Context, spec *config.Spec, env func(string) (string, bool), values map[string]string) ([]SecretState, error) {
	wanted, look := sources(spec), &secrets.Fetcher{Env: env, Values: values}
	var all []SecretState
	for _, name := range sortedNames(wanted) {
		src := wanted[name]
		state := SecretState{Name: name, Source: src.String(), Untold: len(src.Command) > 0, Exposed: src.Exposed(), Hide: src.Hide()}
		err := look.Look(ctx, map[string]secrets.Source{name: src})
		problem := problemOf(err, name)
		switch p, ok := errors.AsType[*secrets.Problem](problem); {
		case ok:
			state.Reason, state.Fix = p.Reason, p.Fix
		case err != nil:
			return nil, err
		}
		all = append(all, state)
	}
	return all, nil
}

// Preview asks the harness of a spec how it would launch its agent; no agent is
// started. The places of the sandbox, which may not be there yet, are stood for
// by made up ones.
func (e *Engine) Preview(ctx context.Context, spec *config.Spec, info harness.Start) (*harness.Launch, error) {
	h, err := e.harness(ctx, spec)
	if err != nil {
		return nil, located(spec.Harness.Plugin, err)
	}
	defer h.Close()
	host, err := h.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("open a session of harness %s: %w", spec.Harness.Type, err)
	}
	defer host.Close()
	start := startOf(spec)
	start.Run, start.Prompt = "plan", "plan"
	if start.MCP, err = mcpServers(spec.Workspace, withoutSecrets); err != nil {
		return nil, err
	}
	start.Workspace, start.Capabilities, start.Isolation = info.Workspace, info.Capabilities, info.Isolation
	if err := host.Send(ctx, start); err != nil {
		return nil, fmt.Errorf("tell harness %s of the run: %w", spec.Harness.Type, err)
	}
	for {
		m, err := host.Recv(ctx)
		if err != nil {
			return nil, fmt.Errorf("ask harness %s how it launches its agent: %w", spec.Harness.Type, err)
		}
		switch m := m.(type) {
		case *harness.Launch:
			return m, nil
		case *harness.Done:
			return nil, fmt.Errorf("harness %s can't launch its agent: %s", spec.Harness.Type, m.Result.Message)
		}
	}
}

// harness starts the harness plugin of a spec, with its secrets resolved.
func (e *Engine) harness(ctx context.Context, spec *config.Spec) (Harness, error) {
	b, err := e.reveal(ctx, spec, spec.Harness.Plugin)
	if err != nil {
		return nil, err
	}
	return e.Plugins.Harness(ctx, b)
}
