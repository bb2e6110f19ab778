package process

import "io/fs"

// Mine is always so: a user's temporary files are in a folder of their own.
func Mine(fs.FileInfo) bool { return true }
