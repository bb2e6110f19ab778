package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// Bounds of a transcript. An agent reads it as a part of its prompt: what is old
// or long is worth less than the room for the task.
const (
	transcriptMessage = 16 << 10  // bytes of one message
	transcriptWhole   = 128 << 10 // bytes of all
)

// transcript is the conversation of a thread's earlier turns, given newest first,
// in order: what the person wrote, and what the agent said (its subagents not). Of
// a turn that didn't complete, how it ended is told.
func transcript(ctx context.Context, st *store.Store, turns []pastTurn) ([]harness.Message, error) {
	var back []harness.Message // newest first
	room, leftOut := transcriptWhole, 0
	for _, t := range turns {
		if room <= 0 {
			leftOut++
			continue
		}
		said, err := saidIn(ctx, st, t.run)
		if err != nil {
			return nil, err
		}
		if room -= len(t.prompt) + len(said); room < 0 && len(back) > 0 {
			leftOut++
			continue
		}
		back = append(back, harness.Message{Role: "assistant", Text: said}, harness.Message{Role: "user", Text: t.prompt})
	}
	if leftOut > 0 {
		back = append(back, harness.Message{Role: "user", Text: fmt.Sprintf("[earlier turns that are left out: %d]", leftOut)})
	}
	slices.Reverse(back)
	return back, nil
}

// pastTurn is an earlier run that was told its prompt.
type pastTurn struct {
	run     store.Run // without its spec
	prompt  string    // shortened
	harness string    // its type
}

// turnsBefore are the earlier turns of a run's thread, newest first. A run whose
// prompt never reached an agent is none. One whose record can't be decoded, such as
// a newer Sandlot's, is left out and told of.
func turnsBefore(ctx context.Context, st *store.Store, run store.Run) (turns []pastTurn, unread []error, err error) {
	err = st.EachRun(ctx, store.RunFilter{Project: run.Project, Thread: run.ThreadName}, func(r store.Run) error {
		if r.ID == run.ID || !r.Status.Terminal() || !r.PromptSent {
			return nil
		}
		record, err := decodeRecord(r.Spec)
		if err != nil {
			unread = append(unread, fmt.Errorf("run %s: %w", r.ID, err))
			return nil
		}
		r.Spec = nil
		turns = append(turns, pastTurn{r, shortened(record.Prompt), record.Spec.Harness.Type})
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read the thread's earlier runs: %w", err)
	}
	return turns, unread, nil
}

// saidIn is what the agent said in a run, and how the run ended unless it
// completed. It is never empty.
func saidIn(ctx context.Context, st *store.Store, run store.Run) (string, error) {
	var said speech
	err := st.EachOf(ctx, run.ID, "TEXT_MESSAGE_", said.hear)
	calls := 0
	err = errors.Join(err, st.EachOf(ctx, run.ID, agui.TypeToolCallStart, func([]byte) error { calls++; return nil }))
	if err != nil {
		return "", fmt.Errorf("read what the agent said in run %s: %w", run.ID, err)
	}
	text := shortened(said.text())
	switch {
	case run.Status == store.Canceled:
		return note(text, "this turn was canceled before it was done"), nil
	case run.Status == store.Failed:
		return note(text, "this turn failed before it was done: "+run.Reason), nil
	case text == "" && calls > 0:
		return note(text, fmt.Sprintf("nothing was said in this turn; tool calls that it made: %d", calls)), nil
	case text == "":
		return note(text, "nothing was said in this turn"), nil
	}
	return text, nil
}

func note(text, words string) string {
	if text != "" {
		text += "\n\n"
	}
	return text + "[" + words + "]"
}

// speech joins the messages of the agent itself.
type speech struct {
	b       strings.Builder
	message string // the one that is heard
	others  map[string]bool
}

func (s *speech) hear(payload []byte) error {
	event, err := agui.Unmarshal(payload)
	if err != nil {
		return err
	}
	switch e := event.(type) {
	case agui.TextMessageStart:
		if e.ParentToolCallID == "" {
			break
		}
		if s.others == nil {
			s.others = map[string]bool{}
		}
		s.others[e.MessageID] = true
	case agui.TextMessageContent:
		if s.others[e.MessageID] {
			break
		}
		if s.message != "" && s.message != e.MessageID {
			s.b.WriteString("\n\n")
		}
		s.message = e.MessageID
		s.b.WriteString(e.Delta)
		if s.b.Len() > 8*transcriptMessage { // an agent may say gigabytes
			kept := shortened(s.b.String())
			s.b.Reset()
			s.b.WriteString(kept)
		}
	}
	return nil
}

func (s *speech) text() string { return strings.TrimSpace(s.b.String()) }

// shortened is a text of which the middle is left out if it is too long.
func shortened(text string) string {
	if len(text) <= transcriptMessage {
		return text
	}
	const gap = "\n\n[a part in the middle is left out]\n\n"
	half := (transcriptMessage - len(gap)) / 2
	head, tail := half, len(text)-half
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + gap + text[tail:]
}
