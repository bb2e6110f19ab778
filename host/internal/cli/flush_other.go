//go:build !linux

package cli

import "os"

// dropTyped throws away what was typed and not read yet, where that can be done.
func dropTyped(*os.File) {}
