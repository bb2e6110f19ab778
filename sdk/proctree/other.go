//go:build !linux && !darwin && !windows

package proctree

import (
	"context"
	"syscall"
	"time"
)

// Tree is a process that this program started. There is none on this system.
type Tree struct{}

// PID is -1.
func (*Tree) PID() int { return -1 }

// Done is nil.
func (*Tree) Done() <-chan struct{} { return nil }

// Leftovers is false.
func (*Tree) Leftovers() bool { return false }

// Wait returns ErrUnsupported.
func (*Tree) Wait(context.Context) (Exit, error) { return Exit{Code: -1}, ErrUnsupported }

// Signal returns ErrUnsupported.
func (*Tree) Signal(syscall.Signal) error { return ErrUnsupported }

// Kill returns ErrUnsupported.
func (*Tree) Kill(context.Context, time.Duration) error { return ErrUnsupported }

// Start returns ErrUnsupported.
func (*Forest) Start(context.Context, Spec) (*Tree, error) { return nil, ErrUnsupported }

// Kill returns ErrUnsupported.
func (*Forest) Kill(context.Context, string, time.Duration) error { return ErrUnsupported }

// Close does nothing: nothing was started.
func (*Forest) Close(context.Context, time.Duration) error { return nil }

// EndLost does nothing: nothing was started.
func EndLost(context.Context, string, Options, time.Duration) error { return nil }

// Closed is false.
func (*Forest) Closed() bool { return false }

// Alive returns Unknown and ErrUnsupported.
func (*Forest) Alive(context.Context, string) (Liveness, error) { return Unknown, ErrUnsupported }

// Members returns ErrUnsupported.
func (*Forest) Members(context.Context, string) ([]Member, error) { return nil, ErrUnsupported }

// Sweep returns ErrUnsupported.
func (*Forest) Sweep(context.Context, string) ([]Member, error) { return nil, ErrUnsupported }

// Reap does nothing: nothing was started.
func (*Forest) Reap(context.Context) ([]string, error) { return nil, nil }

func ownCgroup() string { return "" }
func bootID() string    { return "" }

type starter struct{}

func thisStarter() *starter { return nil }
