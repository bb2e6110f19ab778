package harnesstest

import (
	"context"

	"github.com/sandlot-dev/sandlot/sdk/harness"
)

// T is what the suite needs of a test. *testing.T is one.
type T interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any) // doesn't return
}

// Opener opens one session with the harness under test. The session ends with
// ctx or with Close.
type Opener func(ctx context.Context) (harness.Host, error)

// named says in each message which part of the suite it comes from.
type named struct {
	T
	name string
}

func (n named) Errorf(format string, args ...any) {
	n.T.Helper()
	n.T.Errorf("%s: "+format, append([]any{n.name}, args...)...)
}

func (n named) Fatalf(format string, args ...any) {
	n.T.Helper()
	n.T.Fatalf("%s: "+format, append([]any{n.name}, args...)...)
}
