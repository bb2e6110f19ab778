package plans

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// seeRules tells who holds each rule of the policy, as far as the harness says.
func (m *maker) seeRules(context.Context) error {
	if m.harness.Traits == nil {
		for _, h := range runs.Holdings(m.Spec.Policy, harness.Traits{}) {
			m.plan.Rules = append(m.plan.Rules, Rule{h.Rule, h.Action, "unknown", "the harness doesn't say"})
		}
		return nil
	}
	strict := m.Spec.Policy.Strict
	for _, h := range runs.Holdings(m.Spec.Policy, *m.harness.Traits) {
		m.plan.Rules = append(m.plan.Rules, Rule(h))
		if h.Vain() && !strict {
			m.warn("", "policy rule %s is held by nobody: harness %s can't", h, m.Spec.Harness.Type)
		}
	}
	if err := runs.CheckStrict(m.Spec, *m.harness.Traits); err != nil {
		m.problem("", "%s", err)
	}
	return nil
}

// seeAbilities tells what the provider will not do.
func (m *maker) seeAbilities(context.Context) error {
	if m.provider == nil && m.about.Capabilities == nil {
		return nil
	}
	p, can := &m.plan.Provider, m.capabilities()
	typ := m.Spec.Provider.Type
	if !can.Files {
		m.problem("take another provider", "provider %s serves no files, without which there is no place for what an agent prints", typ)
	}
	cannot := func(words string) { p.Cannot = append(p.Cannot, words) }
	if !can.PTY {
		cannot("give a command a terminal (exec -it)")
	}
	if can.NetworkPolicy == sandbox.NetworkNone {
		cannot("keep an agent from the network")
	}
	m.warnSnapshots(can)
	m.seeNetwork(can)
	if !can.BrokersSecrets {
		cannot("keep secrets out of the sandbox: they are in the agent's environment")
	}
	if !can.DurableFilesystem {
		cannot("keep files when a sandbox stops")
		if m.Spec.Lifecycle.Reuse == "thread" {
			m.warn("", "lifecycle.reuse is \"thread\", and provider %s loses a sandbox's files when it stops", typ)
		}
	}
	if !can.KillableProcesses {
		cannot("end an agent with all that it has started: a cancel removes the sandbox")
		m.warn("", "a cancel removes the sandbox with its files: provider %s can't end an agent otherwise", typ)
	}
	return nil
}

// seeNetwork tells of a network that is denied and that nobody could close.
func (m *maker) seeNetwork(can sandbox.Capabilities) {
	var traits harness.Traits
	if m.harness.Traits != nil {
		traits = *m.harness.Traits
	}
	if e, ok := errors.AsType[*sandbox.Error](runs.CheckNetwork(m.Spec, traits, can)); ok {
		m.problem(e.Hint, "%s", e.Message)
	}
}

// seeLiterals warns of a path that other tools have for the workspace.
func (m *maker) seeLiterals(context.Context) error {
	const literal = "/workspace"
	var where []string
	note := func(place, text string) {
		if mentions(text, literal) {
			where = append(where, place)
		}
	}
	n := 0
	for _, block := range m.Spec.Workspace.Setup {
		for _, command := range block.Run {
			n++
			note(fmt.Sprintf("setup step %d", n), command)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Spec.Workspace.Env)) {
		for _, part := range m.Spec.Workspace.Env[name].Parts {
			note("env "+name, part.Text)
		}
	}
	note("harness "+m.Spec.Harness.Type, string(m.Spec.Harness.Config))
	if dir := string(m.Spec.Provider.Config); mentions(dir, literal) {
		return nil // somebody has put the workspace there
	}
	if len(where) == 0 {
		return nil
	}
	is := "may be elsewhere"
	if m.plan.Provider.Isolation == string(sandbox.IsolationNone) {
		is = "is elsewhere"
	}
	m.warn("write $SANDLOT_WORKSPACE, or a path relative to it", "%s: the workspace %s than in /workspace", strings.Join(where, ", "), is)
	return nil
}

// mentions reports whether text has the path, and not as a part of another one.
func mentions(text, path string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], path)
		if i < 0 {
			return false
		}
		i += from
		from = i + len(path)
		before := i == 0 || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-~}/", rune(text[i-1]))
		after := from == len(text) || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.", rune(text[from]))
		if before && after {
			return true
		}
	}
}
