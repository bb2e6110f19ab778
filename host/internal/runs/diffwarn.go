package runs

import (
	"fmt"
	"io"
	"strings"

	"github.com/sandlot-dev/sandlot/host/internal/secrets"
	"github.com/sandlot-dev/sandlot/host/internal/watch"
)

// Codes of the warnings that a diff can come with.
const (
	codeDiffMissing    = "diff_missing"
	codeDiffIncomplete = "diff_incomplete"
	codeDiffScrubbed   = "diff_scrubbed"
)

// warn adds a warning to what is told.
func (c *changed) warn(l *log, code, text string) {
	batch, err := l.encode(warning(code, text))
	if err != nil {
		l.slog.Warn("encode warning", "error", err)
	}
	c.events = append(c.events, batch...)
}

// leftOut tells what a diff doesn't show, where one could think it does.
func (c *changed) leftOut(l *log, found watch.Changes) {
	for _, of := range []struct {
		what  string
		names []string
	}{
		{"repositories that are new inside the workspace, with all that is in them", found.Nested},
		{"files that are too large", found.Large},
	} {
		if len(of.names) > 0 {
			c.warn(l, codeDiffIncomplete, "the diff leaves out "+of.what+": "+few(of.names))
		}
	}
	if found.Errors != "" {
		c.warn(l, codeDiffIncomplete, "the diff leaves out what git couldn't read: "+found.Errors)
	}
}

// few names the first of many.
func few(names []string) string {
	const most = 5
	shown := make([]string, 0, most)
	for _, n := range names[:min(most, len(names))] {
		shown = append(shown, fmt.Sprintf("%q", n))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// scrubbing is a writer that takes secrets out on the way.
type scrubbing struct {
	to      io.Writer
	stream  *secrets.Stream
	utf8    watch.UTF8
	in, out int64
}

func (d *drive) scrubbing(to io.Writer) *scrubbing {
	var r *secrets.Redactor
	if d.secrets != nil {
		r = d.secrets.Redactor()
	}
	return &scrubbing{to: to, stream: r.Stream()}
}

func (s *scrubbing) Write(b []byte) (int, error) {
	s.in += int64(len(b))
	return len(b), s.pass(s.stream.Redact(b))
}

func (s *scrubbing) pass(clean []byte) error {
	s.out += int64(len(clean))
	_, _ = s.utf8.Write(clean)
	_, err := s.to.Write(clean)
	return err
}

// end writes what was kept back.
func (s *scrubbing) end() error { return s.pass(s.stream.Close()) }

// scrubbed reports whether anything was taken out: a secret is longer than what
// stands in its place.
func (s *scrubbing) scrubbed() bool { return s.in != s.out }
