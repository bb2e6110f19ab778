package providertest

import "context"

// T is what the suite needs of a test. Self is the type itself, so that
// *testing.T is a T[*testing.T] as it is.
type T[Self any] interface {
	tester
	// Run runs a part and reports whether it passed. It may leave out parts it
	// isn't asked for; then it returns true. It doesn't run two at once.
	Run(name string, part func(Self)) bool
}

// tester is what a single case needs.
type tester interface {
	Context() context.Context // ends before the cleanups run
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any) // doesn't return
	Cleanup(f func())                  // runs at the end, the last one first
}
