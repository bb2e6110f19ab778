package main

import "context"

// lockFolder does nothing: no process can be started here, so nobody competes.
func lockFolder(context.Context, string) (unlock func(), err error) { return func() {}, nil }
