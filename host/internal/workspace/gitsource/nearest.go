package gitsource

import (
	"fmt"
	"strconv"
	"strings"
)

// nearest is the name that a wrong one is probably meant to be; empty: none is
// near.
func nearest(wrong string, names []string) string {
	const most = 10_000 // names that are looked at
	best, least := "", 2
	if len(wrong) > 3 {
		least = max(len(wrong)/3, 2) + 1 // two letters that changed places are two changes
	}
	for _, name := range names[:min(len(names), most)] {
		switch {
		case strings.EqualFold(name, wrong):
			return name
		case len(name) > 200 || len(wrong) > 200:
			continue
		}
		d := distance(wrong, name)
		if strings.HasSuffix(name, "/"+wrong) || "v"+wrong == name || name == strings.TrimPrefix(wrong, "origin/") {
			d = 1
		}
		if d < least {
			best, least = name, d
		}
	}
	return best
}

// distance is how many letters have to be put in, taken out or changed.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := before
			if a[i] != b[j] {
				changed++
			}
			before = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func some(names []string) string {
	const most = 5
	shown := make([]string, 0, most+1)
	for _, name := range names[:min(most, len(names))] {
		shown = append(shown, quoted(name))
	}
	if more := len(names) - most; more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	return strings.Join(shown, ", ")
}

// quoted is a name for a message.
func quoted(name string) string { return strconv.Quote(name) }
