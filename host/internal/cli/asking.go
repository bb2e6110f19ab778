package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/user"
	"slices"
	"strings"
	"sync"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// asking puts the agent's requests to the person at the terminal, oldest first,
// while show goes on showing events. A request may also be answered elsewhere,
// or run out of time.
func (a *app) asking(ctx context.Context, st *store.Store, run string, show func(store.Event) error) func(store.Event) error {
	q := &questions{app: a, store: st, run: run, paint: paint{a.color(a.world.Stderr)}}
	go q.read(ctx)
	return func(e store.Event) error {
		err := show(e)
		q.event(e)
		return err
	}
}

// questions are the requests that wait.
type questions struct {
	*app
	store *store.Store
	run   string
	paint paint

	mu   sync.Mutex
	open []string // ids, oldest first
}

func (q *questions) event(e store.Event) {
	event, err := agui.Unmarshal(e.Payload)
	c, ok := event.(agui.Custom)
	var v struct{ ID string }
	if err != nil || !ok || json.Unmarshal(c.Value, &v) != nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch c.Name {
	case "approval.requested":
		q.open = append(q.open, v.ID)
		if len(q.open) == 1 {
			q.prompt()
		}
	case "approval.decided":
		if i := slices.Index(q.open, v.ID); i >= 0 {
			q.open = slices.Delete(q.open, i, i+1)
			if i == 0 && len(q.open) > 0 {
				q.prompt()
			}
		}
	}
}

func (q *questions) prompt() {
	fmt.Fprintf(q.world.Stderr, "  %s ", q.paint.yellow("allow it? [y/n]"))
}

// read takes one answer a line. It ends with the terminal, or with the program.
func (q *questions) read(ctx context.Context) {
	lines := bufio.NewScanner(q.world.Stdin)
	for lines.Scan() {
		q.mu.Lock()
		waits := len(q.open) > 0
		id := ""
		if waits {
			id = q.open[0]
		}
		q.mu.Unlock()
		if !waits {
			continue
		}
		switch strings.ToLower(strings.TrimSpace(lines.Text())) {
		case "y", "yes":
			q.answer(ctx, id, store.Allow)
		case "n", "no":
			q.answer(ctx, id, store.Deny)
		default:
			q.prompt()
		}
	}
}

func (q *questions) answer(ctx context.Context, id string, d store.Decision) {
	err := q.store.Decide(ctx, q.run, id, d, "once", person())
	switch {
	case err == nil, errors.Is(err, store.ErrDecided), errors.Is(err, store.ErrExpired), errors.Is(err, store.ErrTerminal):
		return // the log says how it was decided
	}
	fmt.Fprintf(q.world.Stderr, "%s the answer could not be stored: %v\n", q.paint.red("error:"), err)
	q.prompt()
}

// person names who answers.
func person() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "terminal"
}
