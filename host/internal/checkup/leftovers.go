package checkup

import (
	"context"
	"fmt"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/plugins"
	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// settled is how long something may be half done before it counts as left.
const settled = 10 * time.Minute

// leftovers looks for what an ended program has left.
func (m *Machine) leftovers(ctx context.Context, l *list) {
	if n := len(plugins.DeadSockets(m.Home)); n > 0 {
		l.add(Note, fmt.Sprintf("%d socket folders of ended programs; the next run removes them", n), "")
	}
	ctx, stop := context.WithTimeout(ctx, lookThrough)
	defer stop()
	st, err := store.Peek(ctx, m.storePath())
	if err != nil {
		return // told of by the check of the store
	}
	defer st.Close()
	m.abandonedRuns(ctx, st, l)
	m.halfMade(ctx, st, l)
	m.endedDrivers(ctx, st, l)
	if len(l.all) == 0 {
		l.add(OK, "nothing was left by ended programs", "")
	}
}

func (m *Machine) abandonedRuns(ctx context.Context, st *store.Store, l *list) {
	for _, status := range []store.Status{store.Pending, store.Running} {
		live, err := st.Runs(ctx, store.RunFilter{Status: status})
		if err != nil {
			l.add(Warning, err.Error(), "sandlot runs")
			return
		}
		for _, r := range live {
			if !runs.Driven(r) && m.Now.Sub(r.Created) > time.Minute {
				l.add(Warning, fmt.Sprintf("run %s (thread %s) is %s and nobody drives it", r.ID, r.ThreadName, r.Status), "sandlot attach "+word(r.ID))
			}
		}
	}
}

func (m *Machine) halfMade(ctx context.Context, st *store.Store, l *list) {
	rows, err := st.Sandboxes(ctx)
	if err != nil {
		l.add(Warning, err.Error(), "sandlot ps")
		return
	}
	for _, r := range rows {
		if !r.HalfMade() || m.Now.Sub(r.Used) < settled {
			continue
		}
		name := r.ID
		if name == "" {
			name = "sandlot-" + r.Key[:min(16, len(r.Key))]
		}
		what := map[store.SandboxState]string{store.Creating: "begun and never finished", store.Destroying: "being destroyed and still there"}[r.State]
		l.add(Warning, fmt.Sprintf("sandbox %s (block %s, provider %s) was %s", name, r.Block, r.Type, what), "sandlot destroy "+word(name))
	}
}

func (m *Machine) endedDrivers(ctx context.Context, st *store.Store, l *list) {
	for _, d := range drivers(m.Executable) {
		r, err := st.Run(ctx, d.run)
		if err == nil && r.Status.Terminal() && m.Now.Sub(r.Finished) > time.Minute {
			l.add(Warning, fmt.Sprintf("process %d drives run %s, which has ended", d.pid, r.ID), fmt.Sprintf("kill %d", d.pid))
		}
	}
}

// driver is a process that drives a run.
type driver struct {
	pid int
	run string
}
