package schema

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
)

const hidden = "***"

// Secret is a string that doesn't print itself: every way of formatting,
// logging or encoding it gives `***`, also inside other values. The zero value
// is the empty secret. Compare with [Secret.Equal]; == compares identity.
//
// The value sits behind a pointer because fmt prints unexported fields of other
// structs without asking their methods; so it finds an address and not the value.
type Secret struct{ value *string }

// NewSecret wraps value.
func NewSecret(value string) Secret {
	if value == "" {
		return Secret{}
	}
	return Secret{&value}
}

// Reveal returns the value.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsZero reports whether the secret is empty.
func (s Secret) IsZero() bool { return s.Reveal() == "" }

// Equal reports whether both hold the same value.
func (s Secret) Equal(other Secret) bool { return s.Reveal() == other.Reveal() }

// String returns `***`.
func (s Secret) String() string { return hidden }

// GoString returns `***`.
func (s Secret) GoString() string { return hidden }

// Format writes `***` whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// LogValue is `***` for log/slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText returns `***`, so that encoders and loggers don't show the value.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// MarshalJSON returns `"***"`: a secret can be read from JSON but not written.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }

// UnmarshalJSON reads the value from a JSON string.
func (s *Secret) UnmarshalJSON(data []byte) error {
	var value string
	if err := json.Unmarshal(data, &value); err != nil {
		return fmt.Errorf("read secret: a string is needed") // the cause may quote the value
	}
	*s = NewSecret(value)
	return nil
}
