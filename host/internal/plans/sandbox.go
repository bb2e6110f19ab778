package plans

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/config"
	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/sandboxes"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// seeSandbox tells whether a sandbox would be resumed or made, and why.
func (m *maker) seeSandbox(ctx context.Context) error {
	m.plan.Sandbox = Sandbox{Action: "create", Then: m.after()}
	if err := m.seeKnown(ctx); err != nil {
		return err
	}
	if m.plan.Sandbox.Action == "create" {
		return m.seeSnapshot(ctx)
	}
	return nil
}

// seeKnown looks for the sandbox that the thread has.
func (m *maker) seeKnown(ctx context.Context) error {
	s := &m.plan.Sandbox
	switch {
	case m.Spec.Lifecycle.Reuse == "none":
		s.Why = []string{`lifecycle.reuse is "none": each run gets a sandbox of its own`}
		return nil
	case m.plan.Thread.New:
		s.Why = []string{"the thread is new"}
		return nil
	}
	key, err := m.Spec.Key(m.row.ID, "", "")
	if err != nil {
		return err
	}
	seen, err := sandboxes.Look(ctx, m.Store, key, m.row.ID, m.Spec.Block, runs.Claimant(), m.list)
	if err != nil {
		return err
	}
	m.seeSession(seen)
	return m.tell(seen)
}

func (m *maker) tell(seen sandboxes.Outlook) error {
	s, id := &m.plan.Sandbox, seen.Row.ID
	switch seen.Fate {
	case sandboxes.FateThere:
		s.Action, s.ID = "resume", id
		s.Why = []string{"it is what the thread's last runs used, and nothing that it was made of has changed"}
	case sandboxes.FateNone:
		s.Why = []string{fmt.Sprintf("the thread has no sandbox of block %q", m.Spec.Block)}
	case sandboxes.FateGone:
		s.Why = []string{fmt.Sprintf("the provider doesn't have %s any more, with which its files are lost", id)}
	case sandboxes.FateHalfMade:
		s.Why = []string{"the last one's making or removal didn't come to its end; what there is of it is removed first"}
	case sandboxes.FateBusy:
		s.Action, s.ID = "unknown", id
		s.Why = []string{"another process is making or removing the thread's sandbox; a run would wait for it"}
	case sandboxes.FateUnknown:
		s.Action, s.ID = "unknown", id
		s.Why = []string{fmt.Sprintf("whether %s is still there can't be told: its provider gives no answer", id)}
		if m.why == nil { // else it is told already
			m.fault(fmt.Errorf("provider %s %q: list sandboxes: %w", m.Spec.Provider.Type, m.Spec.Provider.Name, seen.Err))
		}
	case sandboxes.FateReplaced:
		return m.replaced(seen.Row)
	}
	return nil
}

// replaced says what has changed since the thread's last sandbox was made.
func (m *maker) replaced(row store.SandboxRow) error {
	s := &m.plan.Sandbox
	s.Before = row.ID
	var old config.Spec
	if err := json.Unmarshal(row.Spec, &old); err != nil {
		return fmt.Errorf("read spec of sandbox %s: %w", row.ID, err)
	}
	changes, err := config.Changes(&old, m.Spec)
	if err != nil {
		return err
	}
	for _, c := range changes {
		s.Why = append(s.Why, c.String())
	}
	if len(changes) == 0 {
		s.Why = []string{"the last one was made by a build of sandlot that tells sandboxes apart in another way"}
	}
	return nil
}

// steps are what making a sandbox does.
func (m *maker) steps() []string {
	w := m.Spec.Workspace
	var all []string
	switch {
	case w.Source.Kind == "":
	case w.Source.Path != "":
		all = append(all, "source "+w.Source.Kind+": "+w.Source.Path)
	default:
		all = append(all, "source git: "+repository(w.Source))
		if path, _ := m.Engine.Env("PATH"); lookUp("git", path) == "" {
			m.problem("install it", "there is no program %q on this machine's PATH, which fetches the source", "git")
		}
	}
	n := 0
	for _, block := range w.Setup {
		for _, command := range block.Run {
			n++
			all = append(all, fmt.Sprintf("setup %d: %s", n, command))
		}
	}
	return all
}

// seeLeaks tells of secrets' files that a new sandbox would get with its source. What
// keeps the source from being copied is told by the run.
func (m *maker) seeLeaks(ctx context.Context) error {
	if a := m.plan.Sandbox.Action; a == "resume" || a == "restore" {
		return nil
	}
	leaks, err := m.Engine.SecretLeaks(ctx, m.Spec)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	for _, l := range leaks {
		tell := m.problem
		if l.Given {
			tell = m.warn
		}
		tell(l.Fix, "%s", l.Text)
	}
	return nil
}

// repository is a repository and what is wanted of it, for a person.
func repository(src config.Source) string {
	depth := "the whole history"
	switch {
	case src.Depth == 1:
		depth = "the last commit"
	case src.Depth > 1:
		depth = fmt.Sprintf("the last %d commits", src.Depth)
	}
	at := "its default branch"
	if src.Ref != "" {
		at = src.Ref
	}
	text := src.URL + ", " + at + ", " + depth
	if names := src.Token.Secrets(); len(names) > 0 {
		text += ", with secret " + strings.Join(names, " and ")
	}
	return text
}

// after says what becomes of the sandbox.
func (m *maker) after() string {
	life := m.Spec.Lifecycle
	switch {
	case life.Reuse == "none", life.DestroyOnComplete:
		return "it is removed at the end of the run"
	case life.OnCancel == "destroy":
		return "it stays for the thread's next run, and is removed after a cancel"
	}
	return "it stays for the thread's next run"
}

// seeSession says what becomes of the agent's own session.
func (m *maker) seeSession(seen sandboxes.Outlook) {
	t := &m.plan.Thread
	switch {
	case m.row.Session == "":
	case m.row.Harness != m.Spec.Harness.Type:
		t.Session = fmt.Sprintf("a new session with the conversation so far: the last one was with harness %s, which %s can't go on with", m.row.Harness, m.Spec.Harness.Type)
	case seen.Fate == sandboxes.FateThere:
		t.Session = "goes on with the last one, if the agent can"
	default:
		t.Session = "a new session with the conversation so far: the last one's folder isn't in a new sandbox"
	}
}

// close ends the provider's process.
func (m *maker) close() {
	if m.provider != nil {
		_ = m.provider.Close()
	}
}
