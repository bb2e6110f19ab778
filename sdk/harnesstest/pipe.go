package harnesstest

import (
	"github.com/sandlot-dev/sandlot/sdk/harness"
	"github.com/sandlot-dev/sandlot/sdk/plugin"
)

// Cleaner is a T that can clean up after itself. *testing.T is one.
type Cleaner interface {
	T
	Cleanup(func())
}

// Pipe opens sessions with h over a real gRPC connection in this process.
func Pipe(t Cleaner, h harness.Harness) Opener {
	t.Helper()
	return plugin.HarnessPipe(t, h).Open
}
