package gitsource_test

import (
	"bytes"
	"os"
	"path/filepath"
)

// commandLines finds a running program with a word in its arguments.
func commandLines(word string) string {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range all {
		if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte(word)) {
			return string(bytes.ReplaceAll(text, []byte{0}, []byte{' '}))
		}
	}
	return ""
}
