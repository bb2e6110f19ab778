package store

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
)

// busyMillis is how long SQLite itself waits for another process's lock. Each holder keeps it for one commit, a few
// milliseconds; whoever waits this long has met a process that is stopped or a disk that is stuck.
const busyMillis = 10_000

// dsn names the file as a URI, so that '?', '#' and '%' in a path are part of the path.
func dsn(path string, pragmas ...string) string {
	p := filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		p = "/" + p
	}
	q := fmt.Sprintf("_pragma=busy_timeout(%d)", busyMillis)
	for _, pragma := range pragmas {
		q += "&_pragma=" + pragma
	}
	return "file:" + (&url.URL{Path: p}).EscapedPath() + "?" + q
}

// immediate makes transactions take the write lock when they begin: one that began as a reader can't wait for it later,
// it gets BUSY at once.
func immediate(dsn string) string { return dsn + "&_txlock=immediate" }

// openWriter opens the handle whose single connection does all writes. FULL: an event that a reader has seen must
// survive a power cut, since readers resume by its number.
func openWriter(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", immediate(dsn(path, "synchronous(FULL)", "foreign_keys(1)", "journal_size_limit(67108864)")))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// openReader opens the pool for reads; query_only makes a write through it an error.
func openReader(path string, conns int) (*sql.DB, error) {
	db, err := sql.Open("sqlite", dsn(path, "query_only(1)"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}
