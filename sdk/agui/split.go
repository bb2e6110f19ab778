package agui

import "unicode/utf8"

// Split cuts an event whose delta is over max bytes into several of the same
// meaning. Text is cut between characters, never inside one. Events without a
// delta come back as they are.
func Split(e Event, max int) []Event {
	switch e := e.(type) {
	case TextMessageContent:
		return split(e.Delta, max, func(d string) Event { return TextMessageContent{e.MessageID, d} })
	case ReasoningMessageContent:
		return split(e.Delta, max, func(d string) Event { return ReasoningMessageContent{e.MessageID, d} })
	case ToolCallArgs:
		return split(e.Delta, max, func(d string) Event { return ToolCallArgs{e.ToolCallID, d} })
	}
	return []Event{e}
}

func split(delta string, max int, piece func(string) Event) []Event {
	var all []Event
	for len(delta) > max {
		cut := max
		for back := 0; back < utf8.UTFMax-1 && cut > 1 && !utf8.RuneStart(delta[cut]); back++ {
			cut--
		}
		all = append(all, piece(delta[:cut]))
		delta = delta[cut:]
	}
	return append(all, piece(delta))
}
