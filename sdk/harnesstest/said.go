package harnesstest

import (
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// Said joins what the agent said and what it thought, each in its order.
func Said(events []agui.Event) (text, reasoning string) {
	var said, thought strings.Builder
	for _, e := range events {
		switch e := e.(type) {
		case agui.TextMessageContent:
			said.WriteString(e.Delta)
		case agui.ReasoningMessageContent:
			thought.WriteString(e.Delta)
		}
	}
	return said.String(), thought.String()
}
