package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Class is one of the closed set of error classes. It is itself an error, so
// that errors.Is(err, sandbox.Gone) works on both sides of the wire.
type Class string

// The error classes.
const (
	Gone            Class = "gone"            // the backend says that it doesn't exist any more
	NotFound        Class = "not_found"       // a file, folder or program that is proven to be absent
	Unsupported     Class = "unsupported"     // a capability the provider doesn't have
	Invalid         Class = "invalid"         // the request itself is wrong
	Unauthenticated Class = "unauthenticated" // no or bad credentials
	Denied          Class = "denied"          // credentials or rules don't allow it
	Exhausted       Class = "exhausted"       // disk, memory, quota
	RateLimited     Class = "rate_limited"    // too many calls; see Error.RetryAfter
	Conflict        Class = "conflict"        // exists already, or is in use
	Unavailable     Class = "unavailable"     // out of reach; may be tried again
	TimedOut        Class = "timed_out"       // took longer than allowed
	Canceled        Class = "canceled"        // the caller gave up
	Internal        Class = "internal"        // a bug or crash in the plugin
)

// Classes lists every class, for tables and tests.
func Classes() []Class {
	return []Class{
		Gone, NotFound, Unsupported, Invalid, Unauthenticated, Denied, Exhausted,
		RateLimited, Conflict, Unavailable, TimedOut, Canceled, Internal,
	}
}

func (c Class) Error() string { return string(c) }

// Error is an error with a class.
type Error struct {
	Class      Class
	Message    string        // the whole sentence, with the vendor's own words
	Provider   string        // type of the provider; may be empty
	Capability string        // with Unsupported: what was asked for
	Hint       string        // what to do about it; may be empty
	RetryAfter time.Duration // with RateLimited
	Attribute  string        // path of the configuration attribute at fault, e.g. "mounts[0].path"; may be empty
	Cause      error         // not sent over the wire
}

// Errorf makes an error of a class. A %w in the format is kept as its cause.
func Errorf(class Class, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Error{Class: class, Message: err.Error(), Cause: errors.Unwrap(err)}
}

func (e *Error) Error() string {
	msg := e.Message
	if msg == "" {
		msg = string(e.Class)
	}
	if e.Hint != "" {
		msg += " (" + e.Hint + ")"
	}
	return msg
}

// Is makes errors.Is(err, class) true for the error's own class.
func (e *Error) Is(target error) bool {
	c, ok := target.(Class)
	return ok && c == e.Class
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// ClassOf returns the class of err: that of the outermost classed error in its
// chain, Canceled or TimedOut for a context's error, else Internal. A nil
// error has no class.
func ClassOf(err error) Class {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	if c, ok := errors.AsType[Class](err); ok {
		return c
	}
	switch {
	case errors.Is(err, context.Canceled):
		return Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return TimedOut
	}
	return Internal
}
