package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Times are columns of unix milliseconds, with 0 for the zero time.

func toMillis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}

// now is the current time as the database can hold it.
func now() time.Time { return fromMillis(time.Now().UnixMilli()) }

// millis scans a time column.
type millis struct{ to *time.Time }

func (m millis) Scan(v any) error {
	n, ok := v.(int64)
	if !ok {
		return fmt.Errorf("scan time: %T", v)
	}
	*m.to = fromMillis(n)
	return nil
}

// raw scans a JSON column; NULL and an empty blob are nil.
type raw struct{ to *json.RawMessage }

func (r raw) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*r.to = nil
	case []byte:
		*r.to = bytes.Clone(v)
	default:
		return fmt.Errorf("scan JSON: %T", v)
	}
	return nil
}

// blob is a JSON value for a NOT NULL column.
func blob(v json.RawMessage) []byte {
	if v == nil {
		return []byte{}
	}
	return v
}

// driverColumn scans a run's driver; an empty column is none.
type driverColumn struct{ to *Driver }

func (d driverColumn) Scan(v any) error {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("scan driver: %T", v)
	}
	*d.to = Driver{}
	if s == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(s), d.to); err != nil {
		return fmt.Errorf("scan driver: %w", err)
	}
	return nil
}

func (d Driver) column() (string, error) {
	if d == (Driver{}) {
		return "", nil
	}
	b, err := json.Marshal(d)
	return string(b), err
}
