package runs

import (
	"errors"
	"io"
	"sync/atomic"

	"github.com/sandlot-dev/sandlot/host/internal/secrets"
)

// Mask takes secrets out of what is told, as soon as a process knows them. It is a
// writer for a log, of which each Write is scrubbed by itself.
type Mask struct {
	To io.Writer

	redactor atomic.Pointer[secrets.Redactor]
}

// Write implements io.Writer.
func (m *Mask) Write(line []byte) (int, error) {
	if _, err := m.To.Write(m.redactor.Load().Redact(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// Error is err with its text scrubbed.
func (m *Mask) Error(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if clean := string(m.redactor.Load().Redact([]byte(text))); clean != text {
		return errors.New(clean)
	}
	return err
}

// Text is text scrubbed.
func (m *Mask) Text(text string) string { return string(m.redactor.Load().Redact([]byte(text))) }

// Hide takes values out of texts, in each way that tools write them.
func Hide(values []string) func([]byte) []byte { return secrets.Hide(values).Piece }

// know adds secrets: a process may start the plugins of several configurations,
// and what one of them says may be told when another is known already. A nil mask
// is none.
func (m *Mask) know(r *secrets.Redactor) {
	if m == nil {
		return
	}
	for {
		old := m.redactor.Load()
		if m.redactor.CompareAndSwap(old, old.With(r)) {
			return
		}
	}
}
