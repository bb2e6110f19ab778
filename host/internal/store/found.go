package store

import (
	"database/sql"
	"errors"
	"fmt"
)

// changed makes "no row" an error.
func changed(n int64, err error) error {
	if err == nil && n == 0 {
		return ErrNotFound
	}
	return err
}

// found names what a read was for, and turns "no row" into ErrNotFound and any error of a closed store into ErrClosed.
func (s *Store) found(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%s: %w", what, ErrNotFound)
	}
	select {
	case <-s.closed:
		return fmt.Errorf("read %s: %w", what, ErrClosed)
	default:
	}
	return fmt.Errorf("read %s: %w", what, s.fault(err))
}

// collect scans all rows of a query.
func collect[T any](s *Store, what string, rows *sql.Rows, err error, scan func(row) (T, error)) ([]T, error) {
	if err != nil {
		return nil, s.found(what, err)
	}
	defer func() { _ = rows.Close() }()
	var all []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, s.found(what, err)
		}
		all = append(all, one)
	}
	return all, s.found(what, rows.Err())
}
