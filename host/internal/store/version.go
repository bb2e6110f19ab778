package store

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
)

// versionConn is the one connection on which data_version is read: its values mean nothing on another.
type versionConn struct {
	mu   sync.Mutex
	conn *sql.Conn
	base int64 // added to the connection's own value, so that a new connection gives a new one
	last int64
}

// DataVersion is a number that changes whenever any process has committed something since the last call. It costs
// some ten microseconds, so tails can poll it.
func (s *Store) DataVersion(ctx context.Context) (int64, error) {
	v := &s.version
	v.mu.Lock()
	defer v.mu.Unlock()
	select {
	case <-s.closed: // a connection taken now would never be given back
		return 0, fmt.Errorf("read data version: %w", ErrClosed)
	default:
	}
	if v.conn == nil {
		conn, err := s.read.Conn(ctx)
		if err != nil {
			return 0, s.found("data version", err)
		}
		v.conn, v.base = conn, v.last
	}
	var n int64
	if err := v.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&n); err != nil {
		_ = v.conn.Close()
		v.conn = nil
		return 0, s.found("data version", err)
	}
	v.last = v.base + n
	return v.last, nil
}

func (v *versionConn) close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.conn == nil {
		return nil
	}
	err := v.conn.Close()
	v.conn = nil
	return err
}
