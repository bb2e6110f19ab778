package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// heard is what ends work that is ours alone: a signal, or a reader of our output
// that has gone. The work is given the time to end cleanly.
type heard struct {
	again   chan struct{} // closed by a second signal
	signals chan os.Signal
	end     context.CancelCauseFunc
	stopped chan struct{}
	once    sync.Once

	mu    sync.Mutex
	cause error // what ended it first
}

// endedBy is the signal that ended our work.
type endedBy struct{ signal syscall.Signal }

func (e endedBy) Error() string { return "ended by signal: " + e.signal.String() }

// untilSignal is a context that ends with the first signal that asks us to go.
// Of SIGPIPE nothing is heard but the failed write: it would end us before the
// work is.
func (a *app) untilSignal(ctx context.Context) (context.Context, *heard) {
	ctx, end := context.WithCancelCause(ctx)
	h := &heard{again: make(chan struct{}), signals: make(chan os.Signal, 8), end: end, stopped: make(chan struct{})}
	signal.Notify(h.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	go func() {
		first := true
		for {
			select {
			case <-h.stopped:
				return
			case s := <-h.signals:
				sig, ok := s.(syscall.Signal)
				switch {
				case !ok || sig == syscall.SIGPIPE:
				case first:
					first = false
					h.because(endedBy{sig})
				default:
					h.once.Do(func() { close(h.again) })
				}
			}
		}
	}()
	return ctx, h
}

func (h *heard) because(cause error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cause == nil {
		h.cause = cause
		h.end(cause)
	}
}

// stop lets signals do again what they do.
func (h *heard) stop() {
	signal.Stop(h.signals)
	close(h.stopped)
	h.end(nil)
}

// ended reports whether the end of the work was asked for.
func (h *heard) ended() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.cause != nil
}

// or is the end that was heard, with the exit code that a shell expects; else
// err. What went wrong on the way to that end is told too.
func (h *heard) or(err error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	by, ok := errors.AsType[endedBy](h.cause)
	if !ok || err == nil {
		return err
	}
	code := 128 + int(by.signal)
	if errors.Is(err, h.cause) && err.Error() != h.cause.Error() || !errors.Is(err, h.cause) && !errors.Is(err, context.Canceled) {
		return &exitErr{code: code, err: err}
	}
	return said(code)
}

// writer ends the work when w can't be written any more.
func (h *heard) writer(w io.Writer) io.Writer { return heardWriter{h, w} }

type heardWriter struct {
	*heard
	to io.Writer
}

func (w heardWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil {
		if errors.Is(err, syscall.EPIPE) {
			w.because(endedBy{syscall.SIGPIPE})
		} else {
			w.because(fmt.Errorf("write output: %w", err))
		}
	}
	return n, err
}
