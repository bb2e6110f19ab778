package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// path resolves what an instruction names against the session's folder.
func (t *turn) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(t.cwd, filepath.FromSlash(name))
}

// edit replaces a file, or adds to it, and shows the change as a diff.
func (t *turn) edit(ctx context.Context, ask, add bool, name, content string) error {
	path := t.path(name)
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return t.failedCall("edit", "Write "+name, path, err)
	}
	after := content
	if add {
		after = string(before) + content
	}
	diff := toolContent{Type: "diff", Path: path, NewText: &after}
	if err == nil {
		old := string(before)
		diff.OldText = &old
	}
	call := newCall("edit", "Write "+name, map[string]any{"path": path, "content": content, "append": add})
	call.Content, call.Locations = []toolContent{diff}, []location{{path}}

	if ok, err := t.permit(ctx, ask, "edit", call); !ok {
		return err
	}
	if err := writeFile(path, after); err != nil {
		t.change(call.ID, toolCall{Status: "failed", Content: output(err.Error())})
		t.say("Could not write " + name + ": " + err.Error())
		return nil
	}
	t.change(call.ID, toolCall{Status: "completed", Content: call.Content})
	return nil
}

func writeFile(path, content string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o644)
}

// read shows a file; no permission is asked, as with real agents.
func (t *turn) read(name string) error {
	path := t.path(name)
	content, err := os.ReadFile(path)
	if err != nil {
		return t.failedCall("read", "Read "+name, path, err)
	}
	call := newCall("read", "Read "+name, map[string]any{"path": path})
	call.Locations = []location{{path}}
	t.begin(call)
	t.change(call.ID, toolCall{
		Status: "completed", Content: output(string(content)), RawOutput: map[string]any{"output": string(content)},
	})
	t.say(strings.TrimSuffix(string(content), "\n"))
	return nil
}

// failedCall reports a call that failed before it could be made; the turn goes on.
func (t *turn) failedCall(kind, title, path string, err error) error {
	call := newCall(kind, title, map[string]any{"path": path})
	call.Locations = []location{{path}}
	t.begin(call)
	t.change(call.ID, toolCall{Status: "failed", Content: output(err.Error())})
	t.say(title + " failed: " + err.Error())
	return nil
}
