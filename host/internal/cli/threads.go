package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

type threadLine struct {
	Type    string    `json:"type"` // "thread"
	Thread  string    `json:"thread"`
	Project string    `json:"project"`
	Harness string    `json:"harness"`
	Runs    int       `json:"runs"`
	LastRun string    `json:"last_run,omitempty"`
	Status  string    `json:"status,omitempty"` // of the last run
	Created time.Time `json:"created"`
	Used    time.Time `json:"used"`
}

// threads lists all threads, the last used first.
func (a *app) threads(ctx context.Context, st *store.Store) error {
	list, err := st.Threads(ctx)
	if err != nil {
		return err
	}
	if a.flags.json {
		return lines(a, list, func(t store.ThreadInfo) threadLine {
			return threadLine{"thread", t.Name, t.Project, t.Harness, t.Runs, t.Last, string(t.Status), t.Created, t.Used}
		})
	}
	if len(list) == 0 {
		fmt.Fprintln(a.world.Stderr, "no threads yet; the first run starts one: sandlot run \"...\"")
		return nil
	}
	p := paint{a.color(a.world.Stdout)}
	now := time.Now()
	var out table
	out.add("THREAD", "USED", "RUNS", "STATE", "HARNESS", "LAST RUN", "PROJECT")
	for _, t := range list {
		out.row(cell{text: t.Name}, cell{text: ago(t.Used, now)}, cell{text: strconv.Itoa(t.Runs)},
			stateOf(store.Run{Status: t.Status, Reason: t.Reason}, p), cell{text: t.Harness}, cell{text: t.Last}, cell{text: t.Project})
	}
	return out.write(a.world.Stdout)
}
