package runs

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"hash"
	"log/slog"
	"slices"
	"time"

	"github.com/sandlot-dev/sandlot/host/internal/store"
	"github.com/sandlot-dev/sandlot/sdk/agui"
)

// log is the event log of a run as its driver writes it.
type log struct {
	store  *store.Store
	slog   *slog.Logger
	run    store.Run
	epoch  int64
	redact func([]byte) []byte
	scrub  scrubber
	offset int64 // journal offset up to which the agent's events are written

	hash   []byte    // rolling, over the agent's events before redaction
	mac    hash.Hash // of the run's key
	replay replay
}

// replay tells which of the agent's events the log holds already.
type replay struct {
	left  int    // events still to be checked
	known int    // events still to be dropped
	hash  []byte // what the rolling hash must be after the last of them
}

func newLog(st *store.Store, l *slog.Logger, run store.Run, epoch int64) *log {
	return &log{
		store: st, slog: l, run: run, epoch: epoch, mac: hmac.New(sha256.New, run.HashKey),
		redact: func(b []byte) []byte { return b },
	}
}

// rewind is called before the agent's output is read from its first byte; the log
// may hold events of an agent before it.
func (l *log) rewind(ctx context.Context, before *anew) error {
	var n int
	var hash []byte
	err := l.retry(ctx, func() (err error) {
		n, hash, err = l.store.AgentEvents(ctx, l.run.ID)
		return err
	})
	if err != nil {
		return err
	}
	l.scrub.reset()
	if n -= before.events(); n < 0 {
		return errDiverged
	}
	l.hash, l.replay, l.offset = before.hash(), replay{left: n, known: n, hash: hash}, 0
	return nil
}

// errDiverged says that the same output gave other events than before.
var errDiverged = errors.New("replay diverged")

// agent writes the events that the harness made of the agent's lines. Those
// that an earlier attempt has written are dropped, and checked.
func (l *log) agent(ctx context.Context, payloads [][]byte, offset int64) error {
	if offset > 0 {
		l.offset = offset
	}
	events := make([]store.Event, 0, len(payloads)+1)
	for _, p := range payloads {
		l.hash = chain(l.mac, l.hash, p)
		if l.replay.left > 0 {
			l.replay.left--
			if l.replay.left == 0 && !hmac.Equal(l.hash, l.replay.hash) {
				return errDiverged
			}
		}
		events = l.scrub.add(events, store.Event{Source: store.Agent, Hash: l.hash, Offset: l.offset, Payload: p})
	}
	return l.write(ctx, events)
}

// write appends events of the agent but for those that the log holds already.
func (l *log) write(ctx context.Context, events []store.Event) error {
	known := min(l.replay.known, len(events))
	l.replay.known -= known
	return l.append(ctx, events[known:])
}

// flush writes what is kept back because it may be the beginning of a secret,
// before the log ends.
func (l *log) flush(ctx context.Context) error { return l.write(ctx, l.scrub.flush(nil)) }

// chain is one step of the rolling hash.
func chain(mac hash.Hash, prev, payload []byte) []byte {
	mac.Reset()
	mac.Write(prev)
	mac.Write(payload)
	return mac.Sum(nil)
}

// host writes events of the host's own. A failure is the next append's to
// report.
func (l *log) host(ctx context.Context, events ...agui.Event) {
	batch, err := l.encode(events...)
	if err == nil {
		err = errors.Join(l.write(ctx, l.scrub.pause()), l.append(ctx, batch))
	}
	if err != nil {
		l.slog.Warn("append host event", "error", err)
	}
}

func (l *log) encode(events ...agui.Event) ([]store.Event, error) {
	batch, err := hostEvents(l.offset, events...)
	for i := range batch {
		batch[i].Payload = redactEvent(l.redact, batch[i].Payload)
	}
	return batch, err
}

// append writes to the store.
func (l *log) append(ctx context.Context, events []store.Event) error {
	if len(events) == 0 {
		return nil
	}
	return l.retry(ctx, func() error {
		_, err := l.store.Append(ctx, l.run.ID, l.epoch, events)
		return err
	})
}

// finish writes the last events, the terminal one after them, and the row in one
// transaction.
func (l *log) finish(ctx context.Context, o store.Outcome, last ...store.Event) error {
	o.Message = string(l.redact([]byte(o.Message)))
	end, err := l.encode(terminal(l.run, o))
	if err = errors.Join(err, l.flush(ctx)); err != nil {
		return err
	}
	end = append(slices.Clip(last), end...)
	return l.retry(ctx, func() error { return l.store.Finish(ctx, l.run.ID, l.epoch, end, o) })
}

const (
	retryFirst = 100 * time.Millisecond
	retryMost  = 5 * time.Second
)

// retry uses the store. While the store can't be used, it waits and tries again:
// the agent and its journal go on, nothing is lost.
func (l *log) retry(ctx context.Context, use func() error) error {
	for pause := retryFirst; ; pause = min(2*pause, retryMost) {
		err := use()
		if err == nil || store.Lasting(err) || ctx.Err() != nil {
			return err
		}
		l.slog.Warn("the store can't be used, trying again", "error", err, "in", pause)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

func warning(code, text string) agui.Event { return agui.NewWarning(code, text) }
