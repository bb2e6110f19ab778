package guard

import (
	"context"
	"time"

	"golang.org/x/sys/windows"
)

// Wait returns true when the host has died, false when ctx has ended.
func (p Parent) Wait(ctx context.Context) bool {
	pid := p.host
	if pid == 0 {
		pid = p.pid
	}
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return ctx.Err() == nil // it is gone already
	}
	defer func() { _ = windows.CloseHandle(h) }() // a handle that is only waited for
	for ctx.Err() == nil {
		if event, err := windows.WaitForSingleObject(h, uint32(time.Second/time.Millisecond)); err == nil && event == windows.WAIT_OBJECT_0 {
			return true
		}
	}
	return false
}
