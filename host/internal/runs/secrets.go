package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/secrets"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// CheckSecrets tells whether each secret that a spec refers to can be had now,
// so that a missing one is named before anything is started. No command is run
// for it.
func CheckSecrets(ctx context.Context, spec *config.Spec, env func(string) (string, bool), values map[string]string) error {
	return (&secrets.Fetcher{Env: env, Values: values}).Look(ctx, sources(spec))
}

func sources(spec *config.Spec) map[string]secrets.Source {
	all := make(map[string]secrets.Source, len(spec.Secrets))
	for name, s := range spec.Secrets {
		src := secrets.Source{Env: s.Env, File: s.File, Command: s.Command, Value: s.Value, Redact: s.Redact}
		if len(s.Command) > 0 {
			src.Dir = spec.Project
		}
		all[name] = src
	}
	return all
}

func sortedNames(wanted map[string]secrets.Source) []string { return slices.Sorted(maps.Keys(wanted)) }

// secretsFrom fetches secrets, each once in an engine's life.
func (e *Engine) secretsFrom() *secrets.Fetcher {
	e.once.Do(func() {
		env := func(name string) (string, bool) { return e.Env(name) }
		e.fetcher = &secrets.Fetcher{Env: env, Values: e.Values, Environ: e.Environ, Home: e.Home, NoCommands: e.NoCommands}
	})
	return e.fetcher
}

// LostCommands ends the commands of secrets that a killed process has left, and
// returns the folders that were removed; only with look, nothing is done, and of those
// that are young it isn't known.
func (e *Engine) LostCommands(ctx context.Context, look bool) []string {
	if look {
		return secrets.Abandoned(e.Home)
	}
	return secrets.Sweep(ctx, e.Home)
}

// resolveSome fetches those secrets of a spec that can be had; missing says
// which can't, and why.
func (e *Engine) resolveSome(ctx context.Context, spec *config.Spec) (set *secrets.Set, missing, err error) {
	return e.resolveOf(ctx, sources(spec))
}

// resolveNeeded is resolveSome without running commands for secrets that aren't
// needed: somebody may be asked to unlock something for each.
func (e *Engine) resolveNeeded(ctx context.Context, spec *config.Spec, needed []string) (set *secrets.Set, missing, err error) {
	wanted := sources(spec)
	for name, src := range wanted {
		if len(src.Command) > 0 && !slices.Contains(needed, name) {
			delete(wanted, name)
		}
	}
	return e.resolveOf(ctx, wanted)
}

func (e *Engine) resolveOf(ctx context.Context, wanted map[string]secrets.Source) (set *secrets.Set, missing, err error) {
	set, err = e.secretsFrom().Resolve(ctx, wanted)
	if set == nil { // not about single secrets
		return nil, nil, err
	}
	return set, err, nil
}

// warnExposed tells of secrets' files that others can read.
func (d *drive) warnExposed(ctx context.Context) {
	wanted := sources(d.record.Spec)
	for _, name := range sortedNames(wanted) {
		if who := wanted[name].Exposed(); who != "" {
			d.log.host(ctx, warning("secret_readable", fmt.Sprintf("secret %s: %s; mend it: %s", name, who, wanted[name].Hide())))
		}
	}
}

// problemOf is what an error of Resolve says of one secret; nil if nothing.
func problemOf(err error, name string) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			if p, ok := errors.AsType[*secrets.Problem](e); ok && p.Secret == name {
				return p
			}
		}
	}
	return nil
}

// namesOf are the secrets that an error of Resolve is about.
func namesOf(err error) []string {
	var all []string
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			if p, ok := errors.AsType[*secrets.Problem](e); ok {
				all = append(all, p.Secret)
			}
		}
	}
	return all
}

// scrubbed reports whether a secret that is missing would have to be scrubbed
// from what the agent prints.
func scrubbed(spec *config.Spec, missing error) bool {
	for _, name := range namesOf(missing) {
		if spec.Secrets[name].Redact {
			return true
		}
	}
	return false
}

// expander gives a set's values to parts of the configuration.
func expander(set *secrets.Set) func([]config.Part) (string, error) {
	return func(parts []config.Part) (string, error) {
		all := make([]secrets.Part, len(parts))
		for i, p := range parts {
			all[i] = secrets.Part(p)
		}
		return set.Expand(all)
	}
}

// workspaceEnv is what the workspace block puts into the environment of every
// command: its env, then its secrets under their own names.
func workspaceEnv(set *secrets.Set, w config.Workspace) (map[string]string, error) {
	env := make(map[string]string, len(w.Env)+len(w.Secrets)+4)
	expand := expander(set)
	for name, value := range w.Env {
		text, err := expand(value.Parts)
		if err != nil {
			return nil, fmt.Errorf("set %s: %w", name, err)
		}
		env[name] = text
	}
	own, err := set.Env(w.Secrets)
	if err != nil {
		return nil, err
	}
	maps.Copy(env, own)
	return env, nil
}

// redactEvent scrubs an encoded event. A value that stands where it can't be
// taken out without breaking the JSON takes the event with it.
func redactEvent(redact func([]byte) []byte, payload []byte) []byte {
	clean := redact(payload)
	if len(clean) == len(payload) || json.Valid(clean) {
		return clean
	}
	warn, err := agui.Marshal(agui.NewWarning("event_redacted", "an event is left out: it held a secret that couldn't be scrubbed from it"))
	if err != nil { // two strings always encode
		return []byte(`{"type":"CUSTOM","name":"warning","value":{}}`)
	}
	return warn
}
