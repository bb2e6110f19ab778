//go:build linux

package e2e

import (
	"database/sql"
	"path/filepath"

	_ "modernc.org/sqlite"
)

// database is the stage's store as a second program sees it. It is closed with
// the test, or by closeDatabase.
func (s *stage) database() *sql.DB {
	s.t.Helper()
	if s.db != nil {
		return s.db
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.home, "store.db")+"?_pragma=busy_timeout(10000)&_txlock=immediate")
	if err != nil {
		s.t.Fatal(err)
	}
	s.db = db
	s.t.Cleanup(s.closeDatabase)
	return db
}

func (s *stage) closeDatabase() {
	if s.db != nil {
		_ = s.db.Close() // it was read, or is a test's that has failed
		s.db = nil
	}
}

// number is what a query for one number says.
func (s *stage) number(db *sql.DB, query string, args ...any) int64 {
	s.t.Helper()
	var n int64
	if err := db.QueryRowContext(s.t.Context(), query, args...).Scan(&n); err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
	return n
}

// logged is the number of the run's last event.
func (s *stage) logged(db *sql.DB) int64 {
	s.t.Helper()
	return s.number(db, `SELECT coalesce(max(seq), 0) FROM events WHERE run = 'r'`)
}
