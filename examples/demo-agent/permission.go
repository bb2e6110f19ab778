package main

import (
	"context"
	"fmt"
)

// permissionOption is one answer that the client may choose. Ids differ from
// kinds on purpose: every real agent has ids of its own, so a client has to
// choose by kind.
type permissionOption struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

func permissionOptions() []permissionOption {
	return []permissionOption{
		{"yes", "Yes", "allow_once"},
		{"yes-for-session", "Yes, and don't ask again for this", "allow_always"},
		{"no", "No", "reject_once"},
		{"never", "No, and don't ask again for this", "reject_always"},
	}
}

// allowed finds out whether an announced call may be made. It asks if the mode
// says so or, in the default mode, if the instruction did. What names the thing
// that a standing answer covers: all edits, or one exact command.
func (t *turn) allowed(ctx context.Context, asked bool, what string, call toolCall) (bool, error) {
	switch t.currentMode() {
	case modeAuto:
		return true, nil
	case modeDefault:
		if !asked {
			return true, nil
		}
	}
	if answer, ok := t.standing(what); ok {
		return answer, nil
	}
	call.Status = "pending"
	var answer struct {
		Outcome struct {
			Outcome  string `json:"outcome"`
			OptionID string `json:"optionId"`
		} `json:"outcome"`
	}
	err := t.agent.conn.call(ctx, "session/request_permission", map[string]any{
		"sessionId": t.id, "toolCall": call, "options": permissionOptions(),
	}, &answer)
	if err != nil {
		return false, err
	}
	if answer.Outcome.Outcome != "selected" {
		return false, stopCancelled
	}
	switch answer.Outcome.OptionID {
	case "yes":
		return true, nil
	case "no":
		return false, nil
	case "yes-for-session", "never":
		t.settle(what, answer.Outcome.OptionID == "yes-for-session")
		return answer.Outcome.OptionID == "yes-for-session", nil
	}
	return false, fmt.Errorf("read permission: option %q was not offered", answer.Outcome.OptionID)
}

func (s *session) standing(what string) (answer, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer, ok = s.granted[what]
	return answer, ok
}

func (s *session) settle(what string, answer bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.granted[what] = answer
}

// permit announces a call and reports whether it may go ahead; if not, the call
// is closed and the user told.
func (t *turn) permit(ctx context.Context, asked bool, what string, call toolCall) (bool, error) {
	t.begin(call)
	ok, err := t.allowed(ctx, asked, what, call)
	if err != nil {
		t.change(call.ID, toolCall{Status: "failed", Content: output("Permission was not given: " + err.Error())})
		return false, err
	}
	if !ok {
		t.change(call.ID, toolCall{Status: "failed", Content: output("Permission was denied.")})
		t.say("Not done, since permission was denied: " + call.Title)
		return false, nil
	}
	t.change(call.ID, toolCall{Status: "in_progress"})
	return true, nil
}
