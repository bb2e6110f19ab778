package store

import (
	"context"
	"database/sql"
	"fmt"
	"runtime"
	"slices"
)

// batchLimit bounds how many pieces of work share one commit.
const batchLimit = 64

// writer is the goroutine through which all writes of this process go. Whatever callers are waiting when it turns to
// the next transaction is committed together: one fsync instead of many.
type writer struct {
	db    *sql.DB
	queue chan *work // unbuffered: a caller whose work wasn't taken yet can still leave
	quit  <-chan struct{}
	done  chan struct{}
	wake  func() // called after each commit

	tx *tx // nil until needed, and after anything that may have left the connection in doubt
}

type work struct {
	fn   func(*tx) error
	soft bool     // the machine's end may undo it
	undo []func() // what the transaction made outside the database
	err  error
	done chan struct{}
}

func startWriter(db *sql.DB, quit <-chan struct{}, wake func()) *writer {
	w := &writer{db: db, queue: make(chan *work), quit: quit, done: make(chan struct{}), wake: wake}
	go w.run()
	return w
}

func (w *writer) wait() { <-w.done }

// do hands fn to the writer and waits for its commit. fn must not block: others wait behind it. If fn fails, what it
// wrote is rolled back and nobody else's work is touched. A context that ends before the work is taken ends the call;
// after that the call waits, so that an answer is never "maybe".
//
// What is soft needn't outlive the machine: its commit isn't synced, unless it is shared with one that is. The log of
// SQLite is one, so that whatever is synced later has what was committed before it.
func (w *writer) do(ctx context.Context, soft bool, fn func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	job := &work{fn: fn, soft: soft, done: make(chan struct{})}
	select {
	case w.queue <- job:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.quit:
		return ErrClosed
	}
	<-job.done
	return job.err
}

func (w *writer) run() {
	defer close(w.done)
	defer w.drop()
	for {
		select {
		case job := <-w.queue:
			w.commit(w.collect(job))
		case <-w.quit:
			return
		}
	}
}

// collect takes what else is ready. Yielding once lets the callers of the last commit, who were just answered, come
// back with their next work before it is decided who shares this one.
func (w *writer) collect(first *work) []*work {
	runtime.Gosched()
	batch := []*work{first}
	for len(batch) < batchLimit {
		select {
		case job := <-w.queue:
			batch = append(batch, job)
		default:
			return batch
		}
	}
	return batch
}

// commit runs a batch in one transaction and answers each caller.
func (w *writer) commit(batch []*work) {
	err := w.transact(batch)
	if err != nil {
		w.drop()
	}
	for _, job := range batch {
		if job.err == nil {
			job.err = err
		}
		if job.err != nil {
			job.unmake()
		}
	}
	if err == nil {
		w.wake()
	}
	for _, job := range batch {
		close(job.done)
	}
}

func (w *writer) transact(batch []*work) error {
	if w.tx == nil {
		conn, err := w.db.Conn(context.Background())
		if err != nil {
			return err
		}
		w.tx = newTx(conn)
	}
	t := w.tx
	if err := t.sync(slices.ContainsFunc(batch, func(job *work) bool { return !job.soft })); err != nil {
		return err
	}
	if _, err := t.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for _, job := range batch {
		if err := t.isolate(job); err != nil {
			return err
		}
	}
	_, err := t.exec("COMMIT")
	return err
}

// isolate runs one piece of work in a savepoint. Its own failure is the job's; an error returned is the whole batch's:
// on a full disk, say, SQLite rolls the transaction back by itself, and going on would write outside any.
func (t *tx) isolate(job *work) error {
	if _, err := t.exec("SAVEPOINT work"); err != nil {
		return err
	}
	t.undo = nil
	job.err = job.fn(t)
	job.undo = t.undo
	if job.err != nil {
		if _, err := t.exec("ROLLBACK TO work"); err != nil {
			return fmt.Errorf("%w (after: %w)", err, job.err)
		}
	}
	_, err := t.exec("RELEASE work")
	return err
}

func (j *work) unmake() {
	for _, undo := range j.undo {
		undo()
	}
}

// drop gives up the connection, and with it whatever transaction may still be open on it.
func (w *writer) drop() {
	if w.tx != nil {
		w.tx.discard()
		w.tx = nil
	}
}
