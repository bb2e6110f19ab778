package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os/user"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sandlot-dev/sandlot/host/internal/runs"
	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// asking puts the agent's requests to the person at the terminal, oldest first,
// while show goes on showing events. A request may also be answered elsewhere,
// or run out of time.
// Once canceling is set, nothing more is asked.
func (a *app) asking(ctx context.Context, st *store.Store, run string, canceling *atomic.Bool, show func(store.Event) error) func(store.Event) error {
	q := &questions{app: a, store: st, run: run, canceling: canceling, paint: paint{a.color(a.world.Stderr)}}
	go q.read(ctx)
	return func(e store.Event) error {
		event, err := agui.Unmarshal(e.Payload)
		if err != nil {
			return show(e) // which says what is wrong
		}
		q.aside(event)
		err = show(e)
		q.event(ctx, event)
		q.back(event)
		return err
	}
}

// questions are the requests that wait.
type questions struct {
	*app
	store     *store.Store
	run       string
	canceling *atomic.Bool
	paint     paint

	mu       sync.Mutex
	open     []question // oldest first
	put      string     // id of the one that the person was asked about last
	shown    bool       // it stands at the end of the last line
	answered string     // id of the one that the person has answered here last
	left     bool       // the person answers nothing more here
}

// question is a request that waits.
type question struct{ id, about string }

func (q *questions) event(ctx context.Context, event agui.Event) {
	if ends(event) {
		q.mu.Lock()
		q.open = nil
		q.mu.Unlock()
	}
	c, ok := event.(agui.Custom)
	var v struct{ ID, Target, Title string }
	if !ok || json.Unmarshal(c.Value, &v) != nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch c.Name {
	case "approval.requested":
		if q.decided(ctx, v.ID) { // long ago: the log is read again
			return
		}
		q.open = append(q.open, question{v.ID, or(v.Target, v.Title)})
		if len(q.open) == 1 {
			q.prompt()
		}
	case "approval.decided":
		if i := slices.IndexFunc(q.open, func(o question) bool { return o.id == v.ID }); i >= 0 {
			q.open = slices.Delete(q.open, i, i+1)
			if i == 0 && len(q.open) > 0 {
				q.prompt()
			}
		}
	}
}

// decided reports whether nobody waits for the answer any more.
func (q *questions) decided(ctx context.Context, id string) bool {
	a, err := q.store.Approval(ctx, q.run, id)
	return err == nil && (a.Decision != store.Undecided || !a.Closed.IsZero())
}

// prompt puts the oldest question. It is called with the lock held.
func (q *questions) prompt() {
	if len(q.open) == 0 || q.canceling.Load() {
		return
	}
	if q.left {
		fmt.Fprintf(q.world.Stderr, "  %s\n", q.paint.dim("answer with: "+answerLines(q.run, q.open[0].id)))
		return
	}
	if q.put != q.open[0].id { // what was typed so far answers something else
		dropTyped(q.world.Stdin)
	}
	q.put, q.shown = q.open[0].id, true
	fmt.Fprintf(q.world.Stderr, "  %s ", q.paint.yellow("allow "+oneLine(q.open[0].about, 60)+"? [y/n, yr/nr: this run, yt/nt: this thread]"))
}

// read takes one answer a line. It ends with the terminal, or with the program.
func (q *questions) read(ctx context.Context) {
	lines := bufio.NewScanner(q.world.Stdin)
	for lines.Scan() {
		q.mu.Lock()
		q.shown = false // the answer's Enter has ended its line
		id := q.put
		waits := len(q.open) > 0 && q.open[0].id == id
		if !waits { // that one was decided while the person typed
			q.prompt()
		}
		q.mu.Unlock()
		if !waits {
			continue
		}
		d, scope := typed(lines.Text())
		if d == store.Undecided {
			fmt.Fprintln(q.world.Stderr, "  type y to allow it, n to deny it; yr or nr for all like it in this run, yt or nt in this thread")
			q.again()
			continue
		}
		q.mu.Lock()
		q.answered = id
		q.mu.Unlock()
		q.answer(ctx, id, d, scope)
	}
	if lines.Err() == nil { // Ctrl-D
		q.leave()
	}
}

// leave says where requests are answered from here on.
func (q *questions) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.left = true
	if len(q.open) > 0 {
		fmt.Fprintln(q.world.Stderr, "\n  not answered; nothing more is read here, and the request waits")
		q.prompt()
	}
}

// typed is the answer that a person has typed: y or n, and what it is for.
func typed(line string) (d store.Decision, scope string) {
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return store.Allow, store.ScopeOnce
	case "yr":
		return store.Allow, store.ScopeRun
	case "yt":
		return store.Allow, store.ScopeThread
	case "n", "no":
		return store.Deny, store.ScopeOnce
	case "nr":
		return store.Deny, store.ScopeRun
	case "nt":
		return store.Deny, store.ScopeThread
	}
	return store.Undecided, ""
}

func (q *questions) again() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.prompt()
}

func (q *questions) answer(ctx context.Context, id string, d store.Decision, scope string) {
	run, err := q.store.Run(ctx, q.run)
	if err == nil {
		_, err = runs.Answer(ctx, q.store, run, id, d, scope, person())
	}
	if err == nil {
		return
	}
	q.note("%s", err)
	if !q.decided(ctx, id) {
		q.mu.Lock()
		q.answered = ""
		q.mu.Unlock()
		q.again()
	}
}

// person names who answers.
func person() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "terminal"
}
