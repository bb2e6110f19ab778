package harness

import (
	"bytes"
	"fmt"
	"strings"
)

// How tells in a few words how the agent ended, for a message.
func (e *Exit) How() string {
	switch {
	case e.Message != "":
		return e.Message
	case !e.Known:
		return "nobody saw how"
	case e.Signal != 0:
		return fmt.Sprintf("killed by signal %d", e.Signal)
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

// stderrLines is how much of stderr a message names.
const stderrLines = 20

// LastWords is the end of what the agent wrote to stderr, up to 20 lines, as the
// end of a message; it begins with a semicolon.
func (e *Exit) LastWords() string {
	text := strings.ToValidUTF8(string(bytes.TrimSpace(e.Stderr)), "\uFFFD")
	if text == "" {
		return "; it wrote nothing to stderr"
	}
	all := strings.Split(text, "\n")
	return "; the end of its stderr:\n" + strings.Join(all[max(0, len(all)-stderrLines):], "\n")
}
