package processes_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/sandlot-dev/sandlot/sdk/processes"
	"github.com/sandlot-dev/sandlot/sdk/proctree"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

func TestEachErrorHasItsClass(t *testing.T) {
	for err, want := range map[error]sandbox.Class{
		context.Canceled: sandbox.Canceled, context.DeadlineExceeded: sandbox.TimedOut,
		proctree.ErrInvalid: sandbox.Invalid, syscall.E2BIG: sandbox.Invalid,
		proctree.ErrNoDir: sandbox.NotFound, proctree.ErrInUse: sandbox.Conflict, proctree.ErrUnsupported: sandbox.Unsupported,
		syscall.EPERM:  sandbox.Denied,
		syscall.EAGAIN: sandbox.Exhausted, syscall.ENOMEM: sandbox.Exhausted, syscall.ENOSPC: sandbox.Exhausted, syscall.EMFILE: sandbox.Exhausted,
		errors.New("else"): sandbox.Unavailable,
	} {
		got := processes.Classify("kill process main", fmt.Errorf("somewhere: %w", err))
		if !errors.Is(got, want) || !errors.Is(got, err) || got.Error() != "kill process main: somewhere: "+err.Error() {
			t.Errorf("%v: got %v (%s), want %s", err, got, sandbox.ClassOf(got), want)
		}
	}
}

// TestWhatCannotBeKilledIsToldOf has the reasons why something lives on, and what
// a person is told to do.
func TestWhatCannotBeKilledIsToldOf(t *testing.T) {
	secret := proctree.Member{PID: 4321, State: 'S', Command: "/usr/bin/agent --token s3cret", UID: 7}
	denied, stuck := secret, secret
	denied.Denied, stuck.State = true, 'D'
	many := make([]proctree.Member, 50)
	for i := range many {
		many[i] = secret
	}
	cases := []struct {
		name    string
		members []proctree.Member
		hint    string
		lines   int
	}{
		{"one that goes on", []proctree.Member{secret}, "tried again with the next try", 1},
		{"one of another user", []proctree.Member{denied}, "sudo kill -9 4321", 1},
		{"one in the kernel", []proctree.Member{stuck}, "when the kernel lets go of it", 1},
		{"many", many, "tried again", 20},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			err := processes.KillError(hclog.New(&hclog.LoggerOptions{Output: &log}), "kill process main",
				fmt.Errorf("kill: %w", &proctree.SurvivorsError{Members: c.members, Cause: syscall.EPERM}))
			if !errors.Is(err, sandbox.Unavailable) || !strings.HasPrefix(err.Error(), "kill process main: ") || !strings.Contains(err.Error(), c.hint) {
				t.Errorf("got %v (%s)", err, sandbox.ClassOf(err))
			}
			if n := strings.Count(log.String(), "\n"); n != c.lines || !strings.Contains(log.String(), "pid=4321") {
				t.Errorf("%d lines, want %d: %s", n, c.lines, log.String())
			}
			if strings.Contains(err.Error()+log.String(), "s3cret") {
				t.Errorf("an argument is told: %v, %s", err, log.String())
			}
		})
	}
	if err := processes.KillError(hclog.NewNullLogger(), "kill", context.Canceled); !errors.Is(err, sandbox.Canceled) {
		t.Errorf("another error: got %v", err)
	}
}
