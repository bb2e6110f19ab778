package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// Payload is an event's payload that is written piece by piece, since it may be too big to be held in memory. It is
// put into an [Event] as Whole and appended; until then it is a file beside those of the run's big events. It isn't
// safe for concurrent use.
type Payload struct {
	store *Store
	name  string // of its file
	file  *os.File
	size  int64
	taken bool // its file is an event's
}

var payloadCount atomic.Int64 // numbers those of this process

// NewPayload makes an empty one for the driver of a run with that epoch, and removes those that drivers before it have
// left.
func (s *Store) NewPayload(run string, epoch int64) (*Payload, error) {
	dir := path.Join("runs", run, "big")
	if err := s.root.MkdirAll(dir, 0o700); err != nil {
		return nil, s.fault(fmt.Errorf("make payload: %w", err))
	}
	s.sweepPayloads(dir, epoch)
	name := path.Join(dir, fmt.Sprintf("%d-%d.new", epoch, payloadCount.Add(1)))
	f, err := s.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, s.fault(fmt.Errorf("make payload: %w", err))
	}
	return &Payload{store: s, name: name, file: f}, nil
}

// sweepPayloads is for disk space only, so that its failures don't matter.
func (s *Store) sweepPayloads(dir string, epoch int64) {
	entries, err := fs.ReadDir(s.root.FS(), dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		before, _, _ := strings.Cut(e.Name(), "-")
		if n, err := strconv.ParseInt(before, 10, 64); err == nil && n < epoch && strings.HasSuffix(e.Name(), ".new") {
			_ = s.root.Remove(path.Join(dir, e.Name()))
		}
	}
}

// Write adds to the end.
func (p *Payload) Write(b []byte) (int, error) {
	n, err := p.file.Write(b)
	p.size += int64(n)
	if err != nil {
		return n, p.store.fault(fmt.Errorf("write payload: %w", err))
	}
	return n, nil
}

// Reader reads what was written, from the start.
func (p *Payload) Reader() io.Reader { return io.NewSectionReader(p.file, 0, p.size) }

// Size is how many bytes were written.
func (p *Payload) Size() int64 { return p.size }

// Close removes the file, unless it has become an event's. It may be called more than once.
func (p *Payload) Close() error {
	err := p.file.Close()
	if errors.Is(err, fs.ErrClosed) {
		return nil
	}
	if !p.taken {
		err = errors.Join(err, p.store.root.Remove(p.name))
	}
	return err
}

// adopt makes a payload that of an event: what is small goes into its row, else its file gets the event's name. If the
// transaction fails, the payload is what it was.
func (s *Store) adopt(t *tx, run string, seq int64, p *Payload) (start []byte, big any, err error) {
	start = make([]byte, min(p.size, bigLimit))
	if _, err := io.ReadFull(p.Reader(), start); err != nil {
		return nil, nil, fmt.Errorf("read payload %s: %w", p.name, err)
	}
	if p.size <= bigLimit {
		return start, nil, nil
	}
	name := bigName(run, seq)
	if err := p.file.Sync(); err != nil {
		return nil, nil, fmt.Errorf("write payload %s: %w", name, err)
	}
	if err := s.root.Rename(p.name, name); err != nil {
		return nil, nil, fmt.Errorf("name payload %s: %w", name, err)
	}
	p.taken = true
	t.onFailure(func() {
		_ = s.root.Rename(name, p.name)
		p.taken = false
	})
	if err := syncDir(s.root, path.Dir(name)); err != nil {
		return nil, nil, fmt.Errorf("write payload %s: %w", name, err)
	}
	return start[:bigStart], name, nil
}

// OpenPayload reads one event's payload, whole, as a stream. [ErrNotFound] if the log has no such event; if the file
// with it is gone, the error says so.
func (s *Store) OpenPayload(ctx context.Context, run string, seq int64) (io.ReadCloser, error) {
	var big sql.NullString
	var b block
	err := s.read.QueryRowContext(ctx, `SELECT seq, held, big, payload FROM events
		WHERE run = ? AND seq >= ? ORDER BY seq LIMIT 1`, run, seq).Scan(&b.last.Seq, &b.events, &big, &b.last.Payload)
	if err == nil && (seq < 1 || b.last.Seq-int64(b.events) >= seq) {
		err = sql.ErrNoRows
	}
	if err != nil {
		return nil, s.found(fmt.Sprintf("event %d of run %s", seq, run), err)
	}
	if !big.Valid {
		all := b.apart()
		return io.NopCloser(bytes.NewReader(all[len(all)-1-int(b.last.Seq-seq)].Payload)), nil
	}
	f, err := s.root.Open(big.String)
	if err != nil {
		return nil, fmt.Errorf("open payload of event %d of run %s: %w", seq, run, err)
	}
	return f, nil
}

// LastEvents reads the run's last events, newest first, each payload no further than its row goes: of one over 1 MiB
// the first 64 KiB.
func (s *Store) LastEvents(ctx context.Context, run string, n int) ([]Event, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT seq, held, time, source, journal, hash, NULL, payload FROM events
		WHERE run = ? ORDER BY seq DESC LIMIT ?`, run, n)
	found, err := collect(s, "events of run "+run, rows, err, s.scanBlock)
	var all []Event
	for _, b := range found {
		apart := b.apart()
		slices.Reverse(apart)
		all = append(all, apart...)
	}
	return all[:min(n, len(all))], err
}
