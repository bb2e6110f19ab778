package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// tool is one tool call, as far as the agent has told of it.
type tool struct {
	id       string // ours; empty: not announced yet
	argsSent bool
	closed   bool
	fields   toolFields
}

// toolFields are what tool_call, tool_call_update and a permission request tell;
// each brings only what is new.
type toolFields struct {
	ID        string                     `json:"toolCallId"`
	Name      string                     `json:"name"`
	Title     string                     `json:"title"`
	Kind      string                     `json:"kind"`
	Status    string                     `json:"status"`
	Content   json.RawMessage            `json:"content"`
	Locations []location                 `json:"locations"`
	Input     json.RawMessage            `json:"rawInput"`
	Output    json.RawMessage            `json:"rawOutput"`
	Meta      map[string]json.RawMessage `json:"_meta"`
}

type location struct {
	Path string `json:"path"`
}

// merge takes over what n brings.
func (f *toolFields) merge(n toolFields) {
	take(&f.Title, n.Title)
	take(&f.Kind, n.Kind)
	take(&f.Status, n.Status)
	take(&f.Name, n.Name)
	take(&f.Name, metaName(n.Meta))
	if !isNull(n.Content) {
		f.Content = n.Content
	}
	if len(n.Locations) > 0 {
		f.Locations = n.Locations
	}
	if !isNull(n.Input) {
		f.Input = n.Input
	}
	if !isNull(n.Output) {
		f.Output = n.Output
	}
}

func take(into *string, value string) {
	if value != "" {
		*into = value
	}
}

// metaName finds the tool's real name, which agents put under a key of their
// own: {"claudeCode": {"toolName": "Bash"}}, {"x.ai/tool": {"name": "grep"}}.
func metaName(meta map[string]json.RawMessage) string {
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		var m struct {
			ToolName string `json:"toolName"`
			Name     string `json:"name"`
		}
		if json.Unmarshal(meta[key], &m) != nil {
			continue
		}
		if m.ToolName != "" {
			return m.ToolName
		}
		if m.Name != "" {
			return m.Name
		}
	}
	return ""
}

// label names the tool for an event.
func (f *toolFields) label() string {
	switch {
	case f.Name != "":
		return f.Name
	case f.Kind != "" && f.Kind != "other":
		return f.Kind
	case f.Title != "":
		return f.Title
	}
	return "tool"
}

// hasInput tells whether the arguments are more than a placeholder.
func (f *toolFields) hasInput() bool {
	switch string(bytes.TrimSpace(f.Input)) {
	case "", "null", "{}", `""`, "[]":
		return false
	}
	return true
}

// args are the arguments as one JSON value. An agent that tells none gives at
// least a title and the files.
func (f *toolFields) args() string {
	if f.hasInput() {
		return compact(f.Input)
	}
	made := map[string]any{}
	if f.Title != "" {
		made["title"] = f.Title
	}
	if len(f.Locations) > 0 {
		made["paths"] = f.paths()
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(made); err != nil {
		panic(err) // strings always encode
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func (f *toolFields) paths() []string {
	var out []string
	for _, l := range f.Locations {
		if l.Path != "" {
			out = append(out, l.Path)
		}
	}
	return out
}

// answer is what the tool gave back: a raw output that is text, else what the
// agent shows of it. Other raw outputs are the agent's own notes (grok's has the
// output as a list of bytes) and count only if there is nothing else.
func (f *toolFields) answer() string {
	var text string
	if json.Unmarshal(f.Output, &text) == nil && !isNull(f.Output) {
		return text
	}
	if text, ok := contentText(f.Content); ok {
		return text
	}
	if isNull(f.Content) || string(f.Content) == "[]" {
		if isNull(f.Output) {
			return ""
		}
		return compact(f.Output)
	}
	return compact(f.Content)
}

// contentText joins the text blocks of a tool's content, if it has any.
func contentText(content json.RawMessage) (string, bool) {
	var items []struct {
		Content struct {
			Text *string `json:"text"`
		} `json:"content"`
	}
	if json.Unmarshal(content, &items) != nil {
		return "", false
	}
	var parts []string
	found := false
	for _, i := range items {
		if i.Content.Text == nil {
			continue
		}
		found = true
		if *i.Content.Text != "" {
			parts = append(parts, *i.Content.Text)
		}
	}
	return strings.Join(parts, "\n"), found
}

func compact(raw json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil {
		panic(err) // it was read as JSON
	}
	return out.String()
}
