// Command vuln reads govulncheck's JSON on stdin and fails if it reports a
// vulnerability that our code reaches and that the allow-list doesn't name. The
// list, its only argument, has one "ID reason" a line; an entry that matches
// nothing fails too, so that the list can't outlive its reasons.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: govulncheck -format json ./... | vuln ALLOW-LIST")
		os.Exit(2)
	}
	list, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = check(os.Stdin, string(list), os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "vuln: "+err.Error())
		os.Exit(1)
	}
}

// message is one of the JSON objects that govulncheck prints.
type message struct {
	Config *struct {
		GoVersion string `json:"go_version"`
	} `json:"config"`
	OSV *struct {
		ID      string `json:"id"`
		Summary string `json:"summary"`
	} `json:"osv"`
	Finding *struct {
		OSV   string `json:"osv"`
		Fixed string `json:"fixed_version"`
		Trace []struct {
			Module   string `json:"module"`
			Package  string `json:"package"`
			Function string `json:"function"`
		} `json:"trace"`
	} `json:"finding"`
}

func check(in io.Reader, list string, out io.Writer) error {
	allowed, err := parseAllowList(list)
	if err != nil {
		return err
	}
	summaries, reached := map[string]string{}, map[string]string{}
	complete := false
	for dec := json.NewDecoder(in); ; {
		var m message
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("read findings: %w", err)
		}
		if m.Config != nil {
			complete = true
		}
		if m.OSV != nil {
			summaries[m.OSV.ID] = m.OSV.Summary
		}
		// Only a trace that ends in a function says that we can reach it.
		if f := m.Finding; f != nil && len(f.Trace) > 0 && f.Trace[0].Function != "" {
			where := f.Trace[0]
			reached[f.OSV] = fmt.Sprintf("%s.%s, fixed in %q", where.Package, where.Function, f.Fixed)
		}
	}
	if !complete {
		return errors.New("read findings: govulncheck said nothing")
	}
	return judge(allowed, reached, summaries, out)
}

func judge(allowed, reached, summaries map[string]string, out io.Writer) error {
	bad := 0
	for _, id := range slices.Sorted(maps.Keys(reached)) {
		verdict := "allowed: " + allowed[id]
		if allowed[id] == "" {
			verdict = "NOT ALLOWED"
			bad++
		}
		fmt.Fprintf(out, "%s  %s\n  %s\n  %s\n", id, summaries[id], reached[id], verdict)
	}
	for _, id := range slices.Sorted(maps.Keys(allowed)) {
		if reached[id] == "" {
			fmt.Fprintf(out, "%s  is allowed but no longer found: remove it from the list\n", id)
			bad++
		}
	}
	fmt.Fprintf(out, "%d found, %d allowed, %d to mend\n", len(reached), len(allowed), bad)
	if bad > 0 {
		return fmt.Errorf("%d to mend", bad)
	}
	return nil
}

func parseAllowList(list string) (map[string]string, error) {
	allowed := map[string]string{}
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, reason, ok := strings.Cut(line, " ")
		if !ok {
			return nil, fmt.Errorf("allow-list: %s has no reason", id)
		}
		allowed[id] = strings.TrimSpace(reason)
	}
	return allowed, nil
}
