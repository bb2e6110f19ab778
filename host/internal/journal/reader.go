package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// ErrLost means that the journal was removed, cut or replaced: what the agent
// printed can't be had whole.
var ErrLost = errors.New("the journal is gone")

// Reader follows what the agent printed.
type Reader struct {
	files  sandbox.Files
	file   string
	framer framer
	read   atomic.Int64
	ended  chan struct{}
	once   sync.Once
}

// Out follows the agent's stdout from the first byte. A line over lineCap
// bytes is dropped and told of.
func (j *Journal) Out(lineCap int) *Reader {
	return &Reader{
		files:  j.files,
		file:   path.Join(j.folder, "out"),
		framer: framer{lineCap: lineCap},
		ended:  make(chan struct{}),
	}
}

// Ended tells the reader that the agent writes no more: it reads what is there
// and returns.
func (r *Reader) Ended() { r.once.Do(func() { close(r.ended) }) }

// Read is how many bytes have been read so far, also of lines that aren't given
// out yet. It may be called while Run goes on.
func (r *Reader) Read() int64 { return r.read.Load() }

// Run calls emit for each batch, in order, until Ended was called and all is
// read. It returns the error of emit or ctx, or ErrLost.
func (r *Reader) Run(ctx context.Context, emit func(Batch) error) error {
	if err := r.awaitFile(ctx); err != nil {
		return err
	}
	follow, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-r.ended:
		case <-follow.Done():
		}
		stop()
	}()
	err := r.copy(follow, true, emit)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil || spoilt(err):
		if !r.isEnded() {
			return ErrLost
		}
	case follow.Err() == nil: // not because Ended stopped it
		return err
	}
	if err := r.copy(ctx, false, emit); err != nil {
		if spoilt(err) {
			return ErrLost
		}
		return err
	}
	if err := r.drain(true, emit); err != nil {
		return err
	}
	return r.whole(ctx)
}

// whole makes sure that nothing was taken back: a file shorter than what was
// read of it was cut, and what came after the cut is lost.
func (r *Reader) whole(ctx context.Context) error {
	info, err := r.files.Stat(ctx, r.file)
	switch {
	case err == nil && (info.Kind != sandbox.KindFile || info.Size < r.framer.pos), err != nil && spoilt(err):
		return ErrLost
	case err != nil:
		return fmt.Errorf("look at journal %s: %w", r.file, err)
	}
	return nil
}

func (r *Reader) isEnded() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// awaitFile waits until the wrapper has made the file. An agent that ended
// without one leaves nothing to read, which is for the caller to judge.
func (r *Reader) awaitFile(ctx context.Context) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		ended := r.isEnded() // before the look, so that its last act counts
		info, err := r.files.Stat(ctx, r.file)
		absent := errors.Is(err, sandbox.NotFound)
		switch {
		case err == nil && info.Kind == sandbox.KindFile:
			return nil
		case err == nil, absent && ended, !absent && spoilt(err):
			return ErrLost
		case !absent:
			return fmt.Errorf("look for journal %s: %w", r.file, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.ended:
		case <-tick.C:
		}
	}
}

func (r *Reader) copy(ctx context.Context, follow bool, emit func(Batch) error) error {
	opts := sandbox.ReadOptions{Offset: r.framer.pos + int64(len(r.framer.buf)), Follow: follow}
	in, err := r.files.Read(ctx, r.file, opts)
	if err != nil {
		return fmt.Errorf("read journal %s: %w", r.file, err)
	}
	defer in.Close()
	for {
		err := r.framer.fill(in)
		r.read.Store(r.framer.pos + int64(len(r.framer.buf)))
		if drainErr := r.drain(false, emit); drainErr != nil {
			return drainErr
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read journal %s: %w", r.file, err)
		}
	}
}

func (r *Reader) drain(end bool, emit func(Batch) error) error {
	for {
		b, ok := r.framer.next(end)
		if !ok {
			return nil
		}
		if err := emit(b); err != nil {
			return err
		}
	}
}
