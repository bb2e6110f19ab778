package sandbox

import (
	"context"
	"time"
)

// Keeper is a sandbox that its backend stops when nobody seems to use it.
type Keeper interface {
	// KeepAlive says that it is in use and is to stay for d from now on at
	// least. It never shortens what it had.
	KeepAlive(ctx context.Context, d time.Duration) error
}

// CheckKeep reports what is no time to keep a sandbox for, as Invalid. The SDK
// calls it before KeepAlive.
func CheckKeep(d time.Duration) error {
	if d <= 0 {
		return Errorf(Invalid, "keep sandbox for %s: it must be longer than nothing", d)
	}
	return nil
}
