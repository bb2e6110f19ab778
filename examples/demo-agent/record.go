package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
)

// record is a session on disk: its updates, one JSON object a line.
type record struct {
	mu   sync.Mutex
	file *os.File
}

// recordPath refuses ids that we never made, so that none leads out of home.
func recordPath(home, id string) (string, error) {
	if !regexp.MustCompile(`^demo-[a-z0-9]+$`).MatchString(id) {
		return "", &rpcError{codeNotFound, "Resource not found: " + id}
	}
	return filepath.Join(home, "sessions", id+".ndjson"), nil
}

func openRecord(home, id string) (*record, error) {
	path, err := recordPath(home, id)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make sessions folder: %w", err)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open session record: %w", err)
	}
	return &record{file: file}, nil
}

// add appends one update; a record that can't be written doesn't stop a turn.
func (r *record) add(update any) {
	if r == nil {
		return
	}
	line, err := json.Marshal(update)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _ = r.file.Write(append(line, '\n'))
}

func (r *record) close() {
	if r != nil {
		_ = r.file.Close()
	}
}

// readRecord returns the updates of a kept session. A last line without its
// newline was cut off by a crash and is left out.
func readRecord(home, id string) ([]json.RawMessage, error) {
	path, err := recordPath(home, id)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &rpcError{codeNotFound, "Resource not found: " + id}
	}
	if err != nil {
		return nil, fmt.Errorf("open session record: %w", err)
	}
	defer func() { _ = file.Close() }()

	var updates []json.RawMessage
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return updates, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read session record: %w", err)
		}
		updates = append(updates, bytes.TrimSpace(line))
	}
}
