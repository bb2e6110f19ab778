//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// report is everything of one run of the benchmark.
type report struct {
	Version string    `json:"version"`
	Machine machine   `json:"machine"`
	Pairs   int       `json:"pairs"`
	Smoke   bool      `json:"smoke,omitempty"` // small and once: not to be compared
	Rows    []figures `json:"rows"`
}

const columns = "%-42s %-8s %18s %18s %22s  %-21s %s\n"

func (r report) head(w io.Writer) {
	m := r.Machine
	fmt.Fprintf(w, "sandlot %s on %d x %s, Linux %s, %s, load %s\n", r.Version, m.Cores, m.CPU, m.Kernel, m.Go, m.Load)
	fmt.Fprintf(w, "medians of %d pairs, raw and ours in turn; in brackets p10 to p90, after a slash p99\n\n", r.Pairs)
	fmt.Fprintf(w, columns, "", "unit", "raw limit", "ours", "ours / raw", "goal", "")
}

func (f figures) line(w io.Writer) {
	raw, ratio, met := "", "", ""
	if f.Raw != nil {
		raw, ratio = f.cell(*f.Raw), fmt.Sprintf("%s [%s-%s]", short(f.Ratio.P50), short(f.Ratio.P10), short(f.Ratio.P90))
	}
	if f.Met != nil {
		met = map[bool]string{true: "met", false: "MISSED"}[*f.Met]
	}
	if f.HostPeak > 0 {
		met += fmt.Sprintf("  (peak memory: host %d MiB, plugin %d MiB)", f.HostPeak>>20, f.PluginPeak>>20)
	}
	fmt.Fprintf(w, columns, f.Name, f.Unit, raw, f.cell(f.Ours), ratio, f.Goal, met)
}

// cell is a median, with the 99th percentile where there are samples for one.
func (f figures) cell(s spread) string {
	if s.N >= 100 {
		return short(s.P50) + " / " + short(s.P99)
	}
	return short(s.P50)
}

// short is a number of three digits.
func short(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func (r report) save(file string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}
