package main

import (
	"strings"
	"testing"
)

const (
	config  = `{"config":{"go_version":"go1.26.8"}}`
	osv     = `{"osv":{"id":"GO-1","summary":"bad thing"}}`
	called  = `{"finding":{"osv":"GO-1","fixed_version":"v2","trace":[{"module":"m","package":"p","function":"F"}]}}`
	present = `{"finding":{"osv":"GO-1","trace":[{"module":"m"}]}}`
)

func TestCheck(t *testing.T) {
	tests := []struct {
		name  string
		in    string
		list  string
		fails string // part of the error; empty: passes
	}{
		{"nothing found passes", config, "", ""},
		{"a reachable finding fails", config + osv + called, "", "1 to mend"},
		{"an allowed finding passes", config + osv + called, "# why\n\nGO-1 only in the daemon\n", ""},
		{"one that we don't reach passes", config + osv + present, "", ""},
		{"an entry that matches nothing fails", config, "GO-1 only in the daemon", "1 to mend"},
		{"an entry without a reason fails", config, "GO-1", "no reason"},
		{"silence fails", "", "", "said nothing"},
		{"half an answer fails", config + `{"finding":`, "", "read findings"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			err := check(strings.NewReader(tt.in), tt.list, &out)
			if (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("check: %v, want %q; printed %s", err, tt.fails, &out)
			}
		})
	}
}
