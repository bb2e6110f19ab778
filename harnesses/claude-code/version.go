package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// The first and the last version of the CLI that were tested.
const (
	testedFrom = "2.1.197"
	testedTo   = "2.1.332"
)

// untested says that a version wasn't tested; empty: it was, or none is told.
func untested(version string) string {
	got, ok := numbers(version)
	from, _ := numbers(testedFrom)
	to, _ := numbers(testedTo)
	if version == "" || ok && !less(got, from) && !less(to, got) {
		return ""
	}
	return fmt.Sprintf("this Claude Code is version %s; tested are %s to %s. If it misbehaves, install %s",
		version, testedFrom, testedTo, install)
}

// guardedFrom is the first version that was seen to do as it is told about the
// settings of a workspace. 2.1.197 doesn't know the variables for that; those
// between were not looked at.
const guardedFrom = "2.1.332"

// leastVersion is asked for where a lower one would get the key, or is to keep to a
// policy: it is refused before it gets the prompt. By itself the CLI tells its version
// when it has begun its turn. To ask takes it some 60 ms.
func (t *turn) leastVersion() *harness.Version {
	if !t.gate.on && t.s.Start().AuthMode == authHost {
		return nil
	}
	return &harness.Version{
		Args: append(slices.Clone(t.config.command()[1:]), "--version"), From: guardedFrom,
		Why: "with a lower one the workspace's .claude/settings.json may name another server, which then gets the key, and what runs in place of an allowed command",
	}
}

// unguarded says what a version doesn't hold; empty: it holds all, or none is told.
func unguarded(version string) string {
	got, ok := numbers(version)
	if from, _ := numbers(guardedFrom); !ok || !less(got, from) {
		return ""
	}
	return fmt.Sprintf("this Claude Code is version %s: before %s the workspace's .claude/settings.json may name another server, "+
		"which then gets the key, and what runs in place of an allowed command. Use it only on repositories you trust, or install %s",
		version, guardedFrom, install)
}

func numbers(version string) ([3]int, bool) {
	var out [3]int
	parts := strings.SplitN(version, ".", 3)
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil {
			return out, false
		}
		out[i] = n
	}
	return out, len(parts) == 3
}

func less(a, b [3]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}
