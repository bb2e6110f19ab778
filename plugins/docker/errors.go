package main

import (
	"context"
	"errors"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/client"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// classify gives an engine's error a class and says what was being done; the
// engine's own words stay.
func classify(doing string, err error) error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*sandbox.Error](err); ok {
		return known
	}
	e := &sandbox.Error{Class: sandbox.Internal, Provider: "docker", Message: doing + ": " + err.Error(), Cause: err}
	switch {
	case errors.Is(err, context.Canceled):
		e.Class = sandbox.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		e.Class = sandbox.TimedOut
	case client.IsErrConnectionFailed(err):
		e.Class = sandbox.Unavailable
		e.Hint = "start the Docker engine, or point DOCKER_HOST at one that runs"
	case errdefs.IsNotFound(err):
		e.Class = sandbox.NotFound
	case errdefs.IsInvalidArgument(err):
		e.Class = sandbox.Invalid
	case errdefs.IsConflict(err), errdefs.IsAlreadyExists(err):
		e.Class = sandbox.Conflict
	case errdefs.IsUnauthorized(err):
		e.Class = sandbox.Unauthenticated
	case errdefs.IsPermissionDenied(err):
		e.Class = sandbox.Denied
	case errdefs.IsUnavailable(err):
		e.Class = sandbox.Unavailable
	case errdefs.IsResourceExhausted(err):
		e.Class = sandbox.Exhausted
	}
	return refine(e)
}
