package secrets

import (
	"strings"
)

const (
	// shortest is the length in bytes below which scrubbing would tear output apart
	// for what stands in it by chance.
	shortest = 8
	// longest is the length in bytes of the longest value that is taken from a file
	// or a command: a longer one fits into no process's environment, and is rather a
	// file that isn't meant.
	longest = 64 << 10
)

// Source says where a secret's value comes from: exactly one of Env, File, Command
// and Value.
type Source struct {
	// Env is the name of the environment variable that holds it.
	Env string
	// File is the absolute path of the file that holds it and nothing else. The end
	// of its last line doesn't belong to it.
	File string
	// Command prints it: a program and its arguments, without a shell. The end of
	// the last line doesn't belong to it.
	Command []string
	// Dir is the absolute folder that Command runs in, and that a program with a
	// relative path is in.
	Dir string
	// Value is true if the configuration holds it; it is handed over in memory.
	Value bool
	// Redact is false if output isn't scrubbed of it.
	Redact bool
}

// String says in words where the value comes from.
func (s Source) String() string {
	switch {
	case s.Env != "":
		return "the environment variable " + s.Env
	case s.File != "":
		return "the file " + s.File
	case len(s.Command) > 0:
		return "the command " + strings.Join(s.Command, " ")
	}
	return "the configuration"
}

// one reports whether there is exactly one source.
func (s Source) one() bool {
	n := 0
	for _, given := range []bool{s.Env != "", s.File != "", len(s.Command) > 0, s.Value} {
		if given {
			n++
		}
	}
	return n == 1
}

// key is the same for sources that give the same value.
func (s Source) key(name string) string {
	parts := append([]string{s.Env, s.File, s.Dir}, s.Command...)
	if s.Value {
		parts = append(parts, "", name)
	}
	return strings.Join(parts, "\x00")
}

// line takes the end of a last line off.
func line(text []byte) string {
	value, cut := strings.CutSuffix(string(text), "\n")
	if cut {
		value = strings.TrimSuffix(value, "\r")
	}
	return value
}
