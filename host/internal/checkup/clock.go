package checkup

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
)

// born is when this program was written: no clock that is right says less.
var born = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// clock looks whether the clock can be right. TLS, leases and ages go by it.
func (m *Machine) clock(ctx context.Context, l *list) {
	fix := "sudo timedatectl set-ntp true"
	switch runtime.GOOS {
	case "darwin":
		fix = "sudo sntp -sS time.apple.com"
	case "windows":
		fix = "w32tm /resync"
	}
	now := m.Now.UTC()
	if now.Before(born) {
		l.add(Problem, fmt.Sprintf("the clock says %s, which is before this program was written", now.Format(time.DateTime)), fix)
		return
	}
	if last := m.lastRun(ctx); last.After(now.Add(2 * time.Minute)) {
		l.add(Problem, fmt.Sprintf("the clock says %s, but the last run was at %s: it went back", now.Format(time.DateTime), last.Format(time.DateTime)), fix)
		return
	}
	l.add(OK, "the clock says "+now.Format(time.DateTime)+" UTC", "")
}

// lastRun is when the last run was made; zero if that can't be told.
func (m *Machine) lastRun(ctx context.Context) time.Time {
	ctx, stop := context.WithTimeout(ctx, lookThrough)
	defer stop()
	st, err := store.Peek(ctx, m.storePath())
	if err != nil {
		return time.Time{}
	}
	defer st.Close()
	list, err := st.Runs(ctx, store.RunFilter{Limit: 1})
	if err != nil || len(list) == 0 {
		return time.Time{}
	}
	return list[0].Created.UTC()
}
