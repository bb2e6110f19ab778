package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
)

// tx is what work sees: the writer's connection with its prepared statements. The context is never a caller's: one
// who leaves must not interrupt the transaction of the others.
type tx struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	soft  bool // commits aren't synced
	undo  []func()
}

func newTx(conn *sql.Conn) *tx { return &tx{conn: conn, stmts: map[string]*sql.Stmt{}} }

// sync says whether the next commits are to outlive the machine.
func (t *tx) sync(synced bool) error {
	if synced == !t.soft {
		return nil
	}
	level := "NORMAL"
	if synced {
		level = "FULL"
	}
	// SQLite sets it when the statement is prepared: it can't be kept for the next time.
	if _, err := t.conn.ExecContext(context.Background(), "PRAGMA synchronous = "+level); err != nil {
		return err
	}
	t.soft = !synced
	return nil
}

func (t *tx) prepare(query string) (*sql.Stmt, error) {
	if stmt, ok := t.stmts[query]; ok {
		return stmt, nil
	}
	stmt, err := t.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	t.stmts[query] = stmt
	return stmt, nil
}

// exec runs one statement and says how many rows it changed.
func (t *tx) exec(query string, args ...any) (int64, error) {
	stmt, err := t.prepare(query)
	if err != nil {
		return 0, err
	}
	res, err := stmt.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// row is the part of sql.Row that the package uses; a statement that can't be prepared answers at Scan.
type row interface{ Scan(dest ...any) error }

type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }

func (t *tx) row(query string, args ...any) row {
	stmt, err := t.prepare(query)
	if err != nil {
		return failedRow{err}
	}
	return stmt.QueryRowContext(context.Background(), args...)
}

// onFailure registers what unmakes a thing outside the database if the work isn't committed.
func (t *tx) onFailure(undo func()) { t.undo = append(t.undo, undo) }

// discard closes the connection for good instead of giving it back to the pool.
func (t *tx) discard() {
	for _, stmt := range t.stmts {
		_ = stmt.Close()
	}
	_ = t.conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = t.conn.Close()
}
