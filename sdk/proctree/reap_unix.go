//go:build linux || darwin

package proctree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// starter is the program that started a bound tree. Its pid means something in
// its own namespace, and until the machine starts anew.
type starter struct {
	ident
	Space string `json:"space,omitempty"`
}

// thisStarter is this program; nil where it can't be told from a later one.
func thisStarter() *starter {
	start, err := startTime(os.Getpid())
	if err != nil {
		return nil
	}
	return &starter{ident: ident{PID: os.Getpid(), Start: start}, Space: pidSpace()}
}

// orphan is true for a bound tree whose starter is proven to be gone.
func (r record) orphan(boot, space string) bool {
	switch {
	case r.Starter == nil:
		return false
	case r.Boot != boot:
		return true
	case r.Starter.Space != space: // it can't be seen from here
		return false
	}
	p, there := probe(r.Starter.PID)
	return !there || p.ident != r.Starter.ident || !p.living()
}

// Reap ends the bound trees whose starter is gone, and tells their ids. It is
// for what a starter that was killed has left: nobody reads its output or waits
// for it any more. A tree that isn't bound is left alone.
func (f *Forest) Reap(ctx context.Context) ([]string, error) {
	if err := f.ownRecordDir(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(f.recordDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []string
	var failed error
	boot, space := bootID(), pidSpace()
	for _, e := range entries {
		if e.Name()[0] == '.' {
			continue
		}
		rec := f.peek(filepath.Join(f.recordDir(), e.Name()))
		// Its name is made of its id; another's id would be another's tree.
		if !rec.orphan(boot, space) || f.recordPath(string(rec.ID)) != filepath.Join(f.recordDir(), e.Name()) {
			continue
		}
		if err := f.Kill(ctx, string(rec.ID), 0); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		ids = append(ids, string(rec.ID))
	}
	return ids, failed
}
