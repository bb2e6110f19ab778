//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
)

// side does the work of a row once and answers its samples, mostly one, in the
// row's unit.
type side func(ctx context.Context) ([]float64, error)

// row is what is measured: ours beside the raw limit.
type row struct {
	name  string
	unit  string // "ms": less is better; else a rate
	raw   side   // nil: there is none
	ours  side
	goal  goal
	ready func(ctx context.Context) error // called before the row is measured; nil: nothing is to be done
	track *plugins.Process                // its peak memory and the host's during ours; nil: nobody asks
	once  bool                            // one pair is enough
	peaks *peaks                          // where ours notes the memory of its own processes
}

// goal is what a figure is to reach.
type goal struct {
	of    string  // "ratio", "ours", "difference": of medians
	most  float64 // 0: none
	least float64
}

func (g goal) String() string {
	of := g.of
	if of == "difference" {
		of = "ours - raw"
	}
	switch {
	case g.most > 0:
		return fmt.Sprintf("%s <= %g", of, g.most)
	case g.least > 0:
		return fmt.Sprintf("%s >= %g", of, g.least)
	}
	return ""
}

// figures are the result of a row.
type figures struct {
	Name       string  `json:"name"`
	Unit       string  `json:"unit"`
	Pairs      int     `json:"pairs"`
	Raw        *spread `json:"raw,omitempty"`
	Ours       spread  `json:"ours"`
	Ratio      *spread `json:"ratio,omitempty"` // ours to raw, of each pair
	Goal       string  `json:"goal,omitempty"`
	Met        *bool   `json:"met,omitempty"`
	HostPeak   int64   `json:"host_peak_bytes,omitempty"`
	PluginPeak int64   `json:"plugin_peak_bytes,omitempty"`
}

// errLost is of a sample that doesn't count, as what it needs has failed by itself.
var errLost = errors.New("the raw limit's answer never came")

// measure runs a row's sides in turn, the other one first each time, after a
// pair that doesn't count.
func (b *bench) measure(ctx context.Context, r row) (figures, error) {
	pairs, warm := b.pairs, b.warm()
	if r.once {
		pairs, warm = 1, 0
	}
	if r.ready != nil {
		if err := r.ready(ctx); err != nil {
			return figures{}, err
		}
	}
	f := figures{Name: r.name, Unit: r.unit, Pairs: pairs, Goal: r.goal.String()}
	var raw, ours, ratios []float64
	for i := range pairs + warm {
		sides := []side{r.raw, tracked(&f, r)}
		var got [2][]float64
		for k := range sides {
			which := (k + i) % 2
			if sides[which] == nil {
				continue
			}
			samples, err := sides[which](ctx)
			for again := 0; errors.Is(err, errLost) && again < 3; again++ {
				samples, err = sides[which](ctx)
			}
			if err != nil {
				return f, err
			}
			got[which] = samples
		}
		if i < warm {
			continue
		}
		raw, ours = append(raw, got[0]...), append(ours, got[1]...)
		if r.raw != nil {
			ratios = append(ratios, median(got[1])/median(got[0]))
		}
	}
	if r.peaks != nil {
		f.HostPeak, f.PluginPeak = r.peaks.host, r.peaks.plugin
	}
	f.Ours = spreadOf(ours)
	if r.raw != nil {
		rawSpread, ratioSpread := spreadOf(raw), spreadOf(ratios)
		f.Raw, f.Ratio = &rawSpread, &ratioSpread
	}
	if !b.small {
		f.judge(r.goal)
	}
	return f, nil
}

// warm is how many pairs come before those that count.
func (b *bench) warm() int {
	if b.small {
		return 0
	}
	return 1
}

func (f *figures) judge(g goal) {
	var value float64
	switch g.of {
	case "ratio":
		value = f.Ratio.P50
	case "ours":
		value = f.Ours.P50
	case "difference":
		value = f.Ours.P50 - f.Raw.P50
	default:
		return
	}
	met := (g.most == 0 || value <= g.most) && (g.least == 0 || value >= g.least)
	f.Met = &met
}

// spread is how samples lie.
type spread struct {
	P10 float64 `json:"p10"`
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
	N   int     `json:"n"`
}

func spreadOf(samples []float64) spread {
	all := slices.Sorted(slices.Values(samples))
	at := func(share float64) float64 { return all[int(share*float64(len(all)-1)+0.5)] }
	return spread{P10: at(0.1), P50: at(0.5), P90: at(0.9), P99: at(0.99), N: len(all)}
}

func median(samples []float64) float64 { return spreadOf(samples).P50 }
