package wire

import (
	"errors"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Domain marks ErrorInfo details of this protocol.
const Domain = "sandlot.dev"

// maxMessage is the most of an error's message that is sent. A status travels
// in a header, and peers limit those.
const maxMessage = 16 << 10

// codeOf is the gRPC code of each class. Gone and NotFound share one, as do
// Exhausted and RateLimited: a peer that knows only codes gets the nearest.
func codeOf(c sandbox.Class) codes.Code {
	switch c {
	case sandbox.Gone, sandbox.NotFound:
		return codes.NotFound
	case sandbox.Unsupported:
		return codes.Unimplemented
	case sandbox.Invalid:
		return codes.InvalidArgument
	case sandbox.Unauthenticated:
		return codes.Unauthenticated
	case sandbox.Denied:
		return codes.PermissionDenied
	case sandbox.Exhausted, sandbox.RateLimited:
		return codes.ResourceExhausted
	case sandbox.Conflict:
		return codes.AlreadyExists
	case sandbox.Unavailable:
		return codes.Unavailable
	case sandbox.TimedOut:
		return codes.DeadlineExceeded
	case sandbox.Canceled:
		return codes.Canceled
	}
	return codes.Internal
}

// classOf is the class of a status that has no detail of ours: one of a plugin
// in another language, or of gRPC itself.
func classOf(c codes.Code) sandbox.Class {
	switch c {
	case codes.NotFound:
		return sandbox.NotFound // never Gone: only a detail says that
	case codes.Unimplemented:
		return sandbox.Unsupported
	case codes.InvalidArgument, codes.FailedPrecondition, codes.OutOfRange:
		return sandbox.Invalid
	case codes.Unauthenticated:
		return sandbox.Unauthenticated
	case codes.PermissionDenied:
		return sandbox.Denied
	case codes.ResourceExhausted:
		return sandbox.Exhausted
	case codes.AlreadyExists, codes.Aborted:
		return sandbox.Conflict
	case codes.Unavailable:
		return sandbox.Unavailable
	case codes.DeadlineExceeded:
		return sandbox.TimedOut
	case codes.Canceled:
		return sandbox.Canceled
	}
	return sandbox.Internal
}

// Status turns an error into one that gRPC carries whole, with more details if
// need be. A nil error stays nil, and a status stays what it is.
func Status(err error, provider string, more ...protoadapt.MessageV1) error {
	if err == nil {
		return nil
	}
	if s, ok := status.FromError(err); ok && errors.Unwrap(err) == nil {
		return s.Err()
	}
	e := flatten(err)
	if e.Provider == "" {
		e.Provider = provider
	}
	details := append([]protoadapt.MessageV1{
		protoadapt.MessageV1Of(detail(e)),
		protoadapt.MessageV1Of(&errdetails.ErrorInfo{
			Domain: Domain, Reason: strings.ToUpper(string(e.Class)),
			Metadata: map[string]string{"provider": Text(e.Provider), "capability": Text(e.Capability)},
		}),
	}, more...)
	if e.RetryAfter > 0 {
		details = append(details, protoadapt.MessageV1Of(
			&errdetails.RetryInfo{RetryDelay: durationpb.New(e.RetryAfter)}))
	}
	s := status.New(codeOf(e.Class), shorten(e.Message, 1<<10))
	if full, err := s.WithDetails(details...); err == nil {
		s = full
	}
	return s.Err()
}

// flatten makes one classed error of a chain: the class and the fields of the
// outermost classed error, the words of all.
func flatten(err error) sandbox.Error {
	flat := sandbox.Error{Class: sandbox.ClassOf(err), Message: err.Error()}
	if e, ok := errors.AsType[*sandbox.Error](err); ok {
		flat = *e
		bare := *e
		bare.Hint = ""
		// The hint travels apart: it mustn't stand in the message as well.
		flat.Message = strings.Replace(err.Error(), e.Error(), bare.Error(), 1)
		flat.Cause = nil
	}
	if !slices.Contains(sandbox.Classes(), flat.Class) {
		flat.Class = sandbox.Internal
	}
	return flat
}

func detail(e sandbox.Error) *pb.ErrorDetail {
	return &pb.ErrorDetail{
		Class: string(e.Class), Message: shorten(e.Message, maxMessage), Provider: Text(e.Provider),
		Capability: Text(e.Capability), Hint: shorten(e.Hint, maxMessage),
		RetryAfterMs: Millis(e.RetryAfter), Attribute: Text(e.Attribute),
	}
}

// shorten keeps the first bytes of a text, whole characters only.
func shorten(s string, most int) string {
	if s = Text(s); len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + " [shortened]"
}

// FromStatus restores the error that Status sent. ok is false if the status
// holds no detail of ours, so that it came from gRPC itself or from a plugin in
// another language; then the class is the nearest to its code.
func FromStatus(err error) (e *sandbox.Error, ok bool) {
	s := status.Convert(err)
	e = &sandbox.Error{Class: classOf(s.Code()), Message: s.Message()}
	for _, d := range s.Details() {
		switch d := d.(type) {
		case *pb.ErrorDetail:
			e, ok = fromDetail(d, e.Cause), true
		case *errdetails.DebugInfo:
			e.Cause = crashOf(d)
		}
	}
	return e, ok
}

func fromDetail(d *pb.ErrorDetail, cause error) *sandbox.Error {
	e := &sandbox.Error{
		Class: sandbox.Class(d.GetClass()), Message: d.GetMessage(), Provider: d.GetProvider(),
		Capability: d.GetCapability(), Hint: d.GetHint(), Attribute: d.GetAttribute(),
		RetryAfter: Duration(d.GetRetryAfterMs()), Cause: cause,
	}
	if !slices.Contains(sandbox.Classes(), e.Class) {
		e.Class = sandbox.Internal
	}
	return e
}
