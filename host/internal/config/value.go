package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Value is a string that may hold secrets: text and secret names in order. In
// JSON it is a plain string if it has no secret, else
// {"parts":[{"text":"Bearer "},{"secret":"GH"}]}. The zero value is "".
type Value struct {
	Parts []Part
}

// Part is a piece of a Value: either text or the name of a secret.
type Part struct {
	Text   string `json:"text,omitempty"`
	Secret string `json:"secret,omitempty"`
}

// Text is a Value without secrets.
func Text(s string) Value {
	if s == "" {
		return Value{}
	}
	return Value{Parts: []Part{{Text: s}}}
}

// Secrets are the names of the secrets in v, in order, with repetitions.
func (v Value) Secrets() []string {
	var names []string
	for _, p := range v.Parts {
		if p.Secret != "" {
			names = append(names, p.Secret)
		}
	}
	return names
}

// Plain returns the text of a Value without secrets, else false.
func (v Value) Plain() (string, bool) {
	var text string
	for _, p := range v.Parts {
		if p.Secret != "" {
			return "", false
		}
		text += p.Text
	}
	return text, true
}

type partsJSON struct {
	Parts []Part `json:"parts"`
}

// MarshalJSON writes a string or an object with parts.
func (v Value) MarshalJSON() ([]byte, error) {
	if text, ok := v.Plain(); ok {
		return json.Marshal(text)
	}
	return json.Marshal(partsJSON(v))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *Value) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err == nil {
		*v = Text(text)
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var object partsJSON
	if err := dec.Decode(&object); err != nil {
		return fmt.Errorf("read value: %w", err)
	}
	for _, p := range object.Parts {
		if (p.Text == "") == (p.Secret == "") {
			return errors.New("read value: each part is either text or a secret")
		}
	}
	v.Parts = object.Parts
	return nil
}
