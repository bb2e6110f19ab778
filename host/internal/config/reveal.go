package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Reveal returns Config as the plugin wants it: each sensitive value replaced by
// the string that expand makes of its parts. Without sensitive values it is
// Config itself.
func (p Plugin) Reveal(expand func([]Part) (string, error)) (json.RawMessage, error) {
	if len(p.Sensitive) == 0 {
		return p.Config, nil
	}
	dec := json.NewDecoder(bytes.NewReader(p.Config))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return nil, fmt.Errorf("reveal configuration of %s %q: %w", p.Type, p.Name, err)
	}
	for _, pointer := range p.Sensitive {
		if err := replaceAt(tree, strings.Split(pointer, "/")[1:], expand); err != nil {
			return nil, fmt.Errorf("reveal configuration of %s %q at %s: %w", p.Type, p.Name, pointer, err)
		}
	}
	data, err := json.Marshal(tree)
	if err != nil {
		return nil, fmt.Errorf("reveal configuration of %s %q: %w", p.Type, p.Name, err)
	}
	return data, nil
}

func replaceAt(node any, steps []string, expand func([]Part) (string, error)) error {
	for len(steps) > 0 {
		get, set, err := child(node, steps[0])
		if err != nil {
			return err
		}
		if len(steps) > 1 {
			node, steps = get, steps[1:]
			continue
		}
		data, err := json.Marshal(get)
		if err != nil {
			return err
		}
		var v Value
		if err := json.Unmarshal(data, &v); err != nil {
			return err
		}
		text, err := expand(v.Parts)
		if err != nil {
			return err
		}
		set(text)
		return nil
	}
	return fmt.Errorf("an empty path")
}

func child(node any, step string) (any, func(any), error) {
	switch n := node.(type) {
	case map[string]any:
		key := unescapePointer.Replace(step)
		if v, ok := n[key]; ok {
			return v, func(v any) { n[key] = v }, nil
		}
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n) {
			return n[i], func(v any) { n[i] = v }, nil
		}
	}
	return nil, nil, fmt.Errorf("nothing at %q", step)
}

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
)
