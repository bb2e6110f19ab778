package proctree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"
)

// killLimit bounds the wait for ended processes to be gone.
const killLimit = 10 * time.Second

// closedMark is the file in procs that says that no more trees are started.
const closedMark = ".closed"

func ownCgroup() string { return "" }

// bootID is one: start times are unique over reboots.
func bootID() string { return "" }

// family are the living members of a tree: those in its job object, and what
// descends from its leader and from members seen before, whose parents may have
// gone: the name of a detached tree's job object goes with its leader.
func (f *Forest) family(rec record, seen map[ident]bool) ([]kin, error) {
	table, err := snapshot()
	if err != nil {
		return nil, err
	}
	known := []ident{rec.leader()}
	for id := range seen {
		known = append(known, id)
	}
	if job, err := openJob(jobName(f.token(string(rec.ID))), false); err == nil {
		for _, pid := range jobPIDs(job) {
			if id, living := probe(pid); living {
				known = append(known, id)
			}
		}
		closeHandle(job)
	}
	return descend(table, known), nil
}

// Kill ends the tree of id: it is asked to by Ctrl-Break, where it shares a
// console with this program, and ended when grace is over. It returns when no
// member lives and the record is gone. A tree that doesn't exist is no error.
// What is still there when ctx ends, or 10 s later, is told by a
// [SurvivorsError].
func (f *Forest) Kill(ctx context.Context, id string, grace time.Duration) error {
	rec, ok, err := f.recordOf(ctx, id)
	if err == nil && ok {
		if err = f.end(ctx, rec, grace); err == nil {
			err = f.forget(ctx, rec)
		}
	}
	if err != nil {
		return fmt.Errorf("kill process %q: %w", id, err)
	}
	return nil
}

func (f *Forest) end(ctx context.Context, rec record, grace time.Duration) error {
	asked := grace > 0 && windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(rec.PID)) == nil
	patience, done := context.WithTimeout(ctx, grace)
	defer done()
	limit, cancel := context.WithTimeoutCause(ctx, grace+killLimit, fmt.Errorf("not gone %s after it was ended", killLimit))
	defer cancel()
	seen := map[ident]bool{}
	for {
		family, err := f.family(rec, seen)
		if err != nil || len(family) == 0 {
			return err
		}
		left := &SurvivorsError{}
		for _, k := range family {
			seen[k.ident] = true
		}
		if !asked || patience.Err() != nil {
			f.endJob(rec)
			for _, k := range family {
				m := Member{PID: k.PID, State: 'R', Command: k.name, UID: -1}
				m.Denied = errors.Is(terminate(k.ident), windows.ERROR_ACCESS_DENIED)
				left.Members = append(left.Members, m)
			}
		}
		if limit.Err() != nil {
			left.Cause = context.Cause(limit)
			return left
		}
		_ = pause(limit, 10*time.Millisecond) // its end is seen above
	}
}

func (f *Forest) endJob(rec record) {
	if job, err := openJob(jobName(f.token(string(rec.ID))), false); err == nil {
		_ = windows.TerminateJobObject(job, 1) // its members are ended one by one as well
		closeHandle(job)
	}
}

// Close ends every tree of the forest, as Kill does, and lets none be started any
// more. One that can't be ended keeps no other alive.
func (f *Forest) Close(ctx context.Context, grace time.Duration) error {
	err := os.Mkdir(f.recordDir(), 0o700)
	if err == nil || errors.Is(err, fs.ErrExist) {
		err = os.WriteFile(filepath.Join(f.recordDir(), closedMark), nil, 0o600)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // without the directory nothing can start, nor be found
	}
	entries, readErr := os.ReadDir(f.recordDir())
	err = errors.Join(err, readErr)
	for _, e := range entries {
		if e.Name()[0] == '.' {
			continue
		}
		if rec, ok := readRecord(filepath.Join(f.recordDir(), e.Name())); ok {
			err = errors.Join(err, f.Kill(ctx, string(rec.ID), grace))
		}
	}
	if err != nil {
		return fmt.Errorf("close process directory: %w", err)
	}
	return nil
}

// Closed reports whether Close was called, by anybody.
func (f *Forest) Closed() bool {
	_, err := os.Lstat(filepath.Join(f.recordDir(), closedMark))
	return err == nil
}

// EndLost finds nothing: without records a tree has no name here. Bound ones end
// with their starter.
func EndLost(context.Context, string, Options, time.Duration) error { return nil }

// Reap does nothing: Windows ends bound trees with their starter.
func (*Forest) Reap(context.Context) ([]string, error) { return nil, nil }
