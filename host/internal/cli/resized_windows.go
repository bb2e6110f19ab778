package cli

import "os"

// resized never tells: there is no signal for it.
func resized() (changed <-chan os.Signal, stop func()) { return nil, func() {} }
