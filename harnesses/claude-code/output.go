package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/agui"
	"github.com/sandlot-dev/sandlot/sdk/harness"
)

const (
	maxNoise     = 20  // warnings about lines that aren't messages; the rest is counted
	noiseExcerpt = 200 // bytes of such a line that are shown
	warnNoise    = "agent_stdout_noise"
)

// output cuts batches of whole lines into lines and warns of what isn't a
// message.
type output struct {
	s     *harness.Session
	noisy int
}

// feed calls line for each line, without surrounding space. A line that is no
// message, it reports as noise: a wrapper script must not end a run.
func (o *output) feed(data []byte, line func([]byte) bool) {
	for text := range bytes.Lines(data) {
		if text = bytes.TrimSpace(text); len(text) > 0 && !line(text) {
			o.noise(text)
		}
	}
}

func (o *output) noise(text []byte) {
	o.noisy++
	if o.noisy <= maxNoise {
		o.s.Emit(agui.NewWarning(warnNoise, "the agent printed a line that isn't a message: "+excerpt(text)))
	}
}

// end sums up.
func (o *output) end() {
	if more := o.noisy - maxNoise; more > 0 {
		o.s.Emit(agui.NewWarning(warnNoise, fmt.Sprintf("%d more lines on stdout weren't messages", more)))
	}
}

func excerpt(text []byte) string {
	return strings.ToValidUTF8(string(text[:min(len(text), noiseExcerpt)]), "\uFFFD")
}
