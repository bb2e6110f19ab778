//go:build !linux

package checkup

// drivers can't be told here.
func drivers(string) []driver { return nil }
