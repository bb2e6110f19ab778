package cli

import "github.com/sandlot-dev/sandlot/sdk/agui"

// aside ends the line of a question before something else is shown: an agent that
// makes several calls at once tells of the others while the first waits.
func (q *questions) aside(event agui.Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.shown && shows(event) {
		q.shown = false
		if q.canceling.Load() { // Ctrl-C has ended the line
			return
		}
		_, _ = q.world.Stderr.WriteString("\n") // who can't write says so by what is shown next
	}
}

// back puts the question again that was pushed off its line, once what did so is
// shown whole.
func (q *questions) back(event agui.Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, partial := event.(agui.TextMessageContent); partial || q.shown || q.left || !shows(event) {
		return
	}
	if len(q.open) > 0 && q.open[0].id != q.answered {
		q.prompt()
	}
}

// shows tells of events that a person sees something of.
func shows(event agui.Event) bool {
	switch e := event.(type) {
	case agui.TextMessageContent, agui.TextMessageEnd, agui.ToolCallEnd, agui.ToolCallResult:
		return true
	case agui.Custom:
		return e.Name == "approval.requested" || e.Name == "approval.decided" || e.Name == "warning"
	}
	return ends(event)
}

// ends tells of events after which nobody waits for an answer.
func ends(event agui.Event) bool {
	switch event.(type) {
	case agui.RunFinished, agui.RunError:
		return true
	}
	return false
}
