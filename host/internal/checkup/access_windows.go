package checkup

import "io/fs"

// mayWrite can't be asked here; who makes the folder is told.
func mayWrite(string) error { return nil }

// mine can't be asked either.
func mine(fs.FileInfo) bool { return true }
