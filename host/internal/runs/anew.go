package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// codeSessionNotResumed is the warning of a run whose agent begins a new session
// though the thread has had one.
const codeSessionNotResumed = "session_not_resumed"

// anew is kept of an agent that didn't know the session it was to resume. The
// agent that is started after it has a journal of its own, so what the log holds
// of the first one isn't met again when that is replayed.
type anew struct {
	Session string `json:"session"`        // that it didn't know
	Events  int    `json:"events"`         // the agent's events that the log held by then
	Hash    []byte `json:"hash,omitempty"` // of the last of them
}

func (a *anew) events() int {
	if a == nil {
		return 0
	}
	return a.Events
}

func (a *anew) hash() []byte {
	if a == nil {
		return nil
	}
	return a.Hash
}

// errBegunAnew ends the work on an agent that didn't know its session: the run
// goes on with another one.
var errBegunAnew = errors.New("the agent begins a new session")

// unknown reports whether the agent ended because it didn't know its session, and
// wasn't stopped by us.
func (p *pump) unknown() bool {
	return p.result != nil && p.result.Reason == harness.ReasonSessionUnknown && !p.stopped && p.forced == nil && !p.oom
}

// beginAnew makes the run go on with a new session, once: errBegunAnew. Else it
// says why not: of an agent that says so again, or of one that has worked all the
// same, to which the prompt mustn't be sent twice.
func (p *pump) beginAnew(ctx context.Context) (whyNot string, err error) {
	if err := p.log.flush(ctx); err != nil {
		return "", err
	}
	note, err := p.noteOfLaunch()
	if err != nil {
		return "", err
	}
	switch {
	case note.Anew != nil:
		return "the agent says once more that it doesn't know its session, though it was told to begin a new one", nil
	case note.Session == "":
		return "the agent says that it doesn't know its session, though none was named to it", nil
	}
	worked, err := p.worked(ctx)
	if err != nil {
		return "", err
	}
	if worked {
		return "the agent says that it doesn't know its session, but it has begun to work, and no prompt is sent twice; run again to go on", nil
	}
	n, hash, err := p.Store.AgentEvents(ctx, p.run.ID)
	if err != nil {
		return "", fmt.Errorf("read the log: %w", err)
	}
	launch, err := json.Marshal(launched{
		Baseline: note.Baseline, NoBaseline: note.NoBaseline, Anew: &anew{note.Session, n, hash},
	})
	if err != nil {
		return "", fmt.Errorf("encode launch: %w", err)
	}
	events, err := p.log.encode(warning(codeSessionNotResumed, fmt.Sprintf(
		"the agent doesn't know session %s, which this thread was in, any more; %s", note.Session, newSession)))
	if err != nil {
		return "", err
	}
	err = p.log.retry(ctx, func() error { return p.Store.BeginAnew(ctx, p.run.ID, p.epoch, launch, events) })
	if err != nil {
		return "", fmt.Errorf("note that the agent begins anew: %w", err)
	}
	return "", errBegunAnew
}

// newSession says what becomes of a conversation whose session is lost.
const newSession = "it begins a new one and is given the conversation so far"

// noteOfLaunch is what the row keeps of the agent that has just ended.
func (p *pump) noteOfLaunch() (*launched, error) {
	if p.noted != nil {
		return p.noted, nil
	}
	return p.previous()
}

// worked reports whether the agent has said or done anything.
func (p *pump) worked(ctx context.Context) (bool, error) {
	n := 0
	count := func([]byte) error { n++; return nil }
	for _, kind := range []string{agui.TypeTextMessageStart, agui.TypeReasoningStart, agui.TypeToolCallStart} {
		if err := p.Store.EachOf(ctx, p.run.ID, kind, count); err != nil {
			return false, fmt.Errorf("look for what the agent did: %w", err)
		}
	}
	return n > 0, nil
}

// resume says which session of the agent the run resumes; of one that was launched
// before, the same again, since what its output means may depend on it.
func (p *pump) resume(ctx context.Context, prev *launched) error {
	turns, unread, err := turnsBefore(ctx, p.Store, p.run)
	if err == nil {
		p.history, err = transcript(ctx, p.Store, turns)
	}
	if err != nil {
		return err
	}
	if prev != nil {
		p.resumes = prev.Session
		return nil
	}
	for _, err := range unread {
		p.log.host(ctx, warning("turn_unreadable", "an earlier turn of the thread is left out of what the agent may be told of it: "+err.Error()))
	}
	t, err := lookUp(ctx, p.log, func() (store.Thread, error) { return p.Store.Thread(ctx, p.run.Project, p.run.ThreadName) })
	if err != nil {
		return fmt.Errorf("read thread %s: %w", p.run.ThreadName, err)
	}
	now := p.record.Spec.Harness.Type
	switch {
	case t.Session != "" && t.SessionDir == p.sandbox.Info().Root && t.Harness == now:
		p.resumes = t.Session
	case t.Session != "":
		p.notResumed = "the agent's last session was in another sandbox"
	case len(turns) > 0 && turns[0].harness != now:
		p.notResumed = fmt.Sprintf("the thread's last turn was with harness %s, whose session this agent can't resume", turns[0].harness)
	}
	return nil
}

// sayNotResumed tells, once the agent is about to start, that it doesn't go on
// with the thread's session.
func (p *pump) sayNotResumed(ctx context.Context, prev *launched) {
	if prev == nil && p.notResumed != "" && len(p.history) > 0 {
		p.log.host(ctx, warning(codeSessionNotResumed, p.notResumed+"; "+newSession))
	}
}
