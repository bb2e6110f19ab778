package secrets

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// shortest is the length in bytes below which scrubbing would tear output apart
// for what stands in it by chance.
const shortest = 8

// Source says where a secret's value comes from: exactly one of Env and Value.
type Source struct {
	// Env is the name of the environment variable that holds it.
	Env string
	// Value is true if the configuration holds it; the value is handed to Resolve.
	Value bool
	// Redact is false if output isn't scrubbed of it.
	Redact bool
}

// Problem is why one secret can't be used, and what to do about it. It never
// holds the value.
type Problem struct {
	Secret string
	Reason string
	Fix    string
}

// Error gives secret, reason and fix.
func (p *Problem) Error() string {
	return fmt.Sprintf("resolve secret %s: %s; %s", p.Secret, p.Reason, p.Fix)
}

// Resolve fetches the value of each secret. LookupEnv reads the host's
// environment; values are those that stand in the configuration, by name. An
// empty value counts as missing. The error joins a [*Problem] for each secret
// that can't be used, in the order of their names.
func Resolve(ctx context.Context, sources map[string]Source, lookupEnv func(string) (string, bool), values map[string]string) (*Set, error) {
	set := &Set{values: make(map[string]string, len(sources))}
	var scrubbed []string
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("resolve secrets: %w", err)
		}
		src := sources[name]
		value, p := fetch(name, src, lookupEnv, values)
		if p == nil {
			p = check(name, src, value)
		}
		if p != nil {
			problems = append(problems, p)
			continue
		}
		set.values[name] = value
		if src.Redact {
			scrubbed = append(scrubbed, value)
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	set.redactor = newRedactor(scrubbed)
	return set, nil
}

func fetch(name string, src Source, lookupEnv func(string) (string, bool), values map[string]string) (string, *Problem) {
	switch {
	case src.Env != "" && src.Value || src.Env == "" && !src.Value:
		return "", &Problem{name, "it doesn't have exactly one source", "give it env or value in its secret block"}
	case src.Value:
		if v := values[name]; v != "" {
			return v, nil
		}
		return "", &Problem{name, "its value is missing or empty", "set value in its secret block, and start the run from its configuration"}
	}
	v, ok := lookupEnv(src.Env)
	switch {
	case !ok:
		return "", &Problem{name, "the environment variable " + src.Env + " isn't set", "export " + src.Env + "=..."}
	case v == "":
		return "", &Problem{name, "the environment variable " + src.Env + " is empty", "export " + src.Env + "=..."}
	}
	return v, nil
}

func check(name string, src Source, value string) *Problem {
	switch {
	case strings.ContainsRune(value, 0):
		return &Problem{name, "its value has a NUL byte, which no environment can hold", "store it encoded"}
	case src.Redact && len(value) < shortest:
		return &Problem{
			name, fmt.Sprintf("its value has fewer than %d bytes, too few to scrub from output", shortest),
			"use a longer one, or set redact = false in its secret block",
		}
	}
	return nil
}
