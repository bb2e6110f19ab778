package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// busy is a program that is open for writing until done is called.
func busy(t *testing.T) (path string, done func()) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "program")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // a second time, perhaps
	if _, err := f.WriteString("#!/bin/sh\necho hello\n"); err != nil {
		t.Fatal(err)
	}
	return path, func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestABusyProgramIsWaitedForNoLongerThanItsCaller does something while the start
// of a program waits that is open for writing.
func TestABusyProgramIsWaitedForNoLongerThanItsCaller(t *testing.T) {
	cases := []struct {
		name  string
		act   func(p *Process, cancel, done func())
		out   string
		want  error // nil: it starts
		after time.Duration
	}{
		{"its context ends", func(_ *Process, cancel, _ func()) { cancel() }, "", context.Canceled, 0},
		{"it is killed", func(p *Process, _, _ func()) { _ = p.Kill(context.Background()) }, "", errGivenUp, 0},
		{"its writer has done", func(_ *Process, _, done func()) { done() }, "hello\n", nil, busyPause},
		{"its writer never has done", func(*Process, func(), func()) {}, "", syscall.ETXTBSY, busyTries * busyPause},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path, done := busy(t)
			synctest.Test(t, func(t *testing.T) {
				p := New(Options{Path: path})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				began := time.Now()
				var out []byte
				var err error
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					out, err = p.Output(ctx, 100)
				}()
				synctest.Wait() // it pauses
				c.act(p, cancel, done)
				<-ended
				if !errors.Is(err, c.want) || string(out) != c.out || (p.ID() != "") != (c.want == nil) {
					t.Errorf("got %q, %v, process %q, want %q, %v", out, err, p.ID(), c.out, c.want)
				}
				if took := time.Since(began); took != c.after {
					t.Errorf("it took %s, want %s", took, c.after)
				}
			})
		})
	}
}
