package main

import (
	"fmt"
	"strconv"
	"strings"
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
