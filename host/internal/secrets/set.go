package secrets

import (
	"fmt"
	"io"
	"strings"
)

const hidden = "***"

// Set holds the resolved secrets of one run. It is safe for concurrent use.
type Set struct {
	values   map[string]string
	redactor *Redactor
}

// Part is a piece of a string that may hold secrets: either text or the name of
// a secret.
type Part struct {
	Text   string
	Secret string
}

// Env returns the named secrets as environment variables of the same names.
func (s *Set) Env(names []string) (map[string]string, error) {
	env := make(map[string]string, len(names))
	for _, name := range names {
		value, ok := s.values[name]
		if !ok {
			return nil, fmt.Errorf("read secret %s: not resolved", name)
		}
		env[name] = value
	}
	return env, nil
}

// Expand puts the parts together, values in place of names.
func (s *Set) Expand(parts []Part) (string, error) {
	var out strings.Builder
	for _, p := range parts {
		if p.Secret == "" {
			out.WriteString(p.Text)
			continue
		}
		value, ok := s.values[p.Secret]
		if !ok {
			return "", fmt.Errorf("read secret %s: not resolved", p.Secret)
		}
		out.WriteString(value)
	}
	return out.String(), nil
}

// Redactor scrubs what the set's secrets may have got into.
func (s *Set) Redactor() *Redactor { return s.redactor }

// String returns `***`.
func (s *Set) String() string { return hidden }

// GoString returns `***`.
func (s *Set) GoString() string { return hidden }

// Format writes `***` whatever the verb.
func (s *Set) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// MarshalText returns `***`, so that encoders and loggers don't show values.
func (s *Set) MarshalText() ([]byte, error) { return []byte(hidden), nil }
