package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"
)

// parseDefault turns the text of a default tag into the attribute's JSON value.
func parseDefault(t Type, text string) (json.RawMessage, error) {
	if t.Sensitive() {
		return nil, errors.New("a secret has no default")
	}
	raw := json.RawMessage(text)
	switch t {
	case String, Duration:
		raw, _ = json.Marshal(text)
	}
	value, err := parseJSON(raw)
	if err != nil {
		return nil, fmt.Errorf("default %q isn't JSON for %s: %w", text, t, err)
	}
	into := reflect.New(goType(t)).Elem()
	if err := setAttribute(into, t, value, ""); err != nil {
		return nil, fmt.Errorf("default %q: %w", text, err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, fmt.Errorf("default %q: %w", text, err)
	}
	return compact.Bytes(), nil
}

// goType is a Go type that holds any value of t.
func goType(t Type) reflect.Type {
	elem := map[Type]reflect.Type{
		String: reflect.TypeFor[string](), Bool: reflect.TypeFor[bool](), Int: reflect.TypeFor[int64](),
		Number: reflect.TypeFor[float64](), Duration: reflect.TypeFor[time.Duration](), Sensitive: secretType,
	}[t.Elem()]
	switch {
	case t.IsList():
		return reflect.SliceOf(elem)
	case t.IsMap():
		return reflect.MapOf(reflect.TypeFor[string](), elem)
	}
	return elem
}
