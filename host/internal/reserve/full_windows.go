package reserve

import (
	"errors"

	"golang.org/x/sys/windows"
)

// Full reports whether an error says that a disk, or somebody's share of it, is
// full.
func Full(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}
