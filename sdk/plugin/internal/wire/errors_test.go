package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// overStatus is what the other side sees of an error.
func overStatus(t *testing.T, err error) *sandbox.Error {
	t.Helper()
	// The proto of a status is what the trailer holds.
	e, ok := FromStatus(status.FromProto(status.Convert(Status(err, "docker")).Proto()).Err())
	if !ok {
		t.Fatalf("%v: no detail arrived", err)
	}
	return e
}

func TestEveryClassCrossesTheWire(t *testing.T) {
	for _, class := range sandbox.Classes() {
		want := sandbox.Error{
			Class: class, Message: "No such container: x", Provider: "docker", Capability: "fork", Hint: "try again",
			RetryAfter: 1500 * time.Millisecond, Attribute: "mounts[0].path",
		}
		got := overStatus(t, &want)
		if diff := cmp.Diff(want, *got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", class, diff)
		}
		if !errors.Is(got, class) {
			t.Errorf("errors.Is(err, %s) is false", class)
		}
		if code := status.Code(Status(&want, "")); code == codes.Unknown || code == codes.OK {
			t.Errorf("%s has the code %s", class, code)
		}
	}
}

func TestAnErrorKeepsItsClassAndItsWords(t *testing.T) {
	cases := []struct {
		name string
		err  error
		want sandbox.Error
	}{
		{
			"a wrapped one, its hint apart",
			fmt.Errorf("create box: %w", &sandbox.Error{Class: sandbox.Exhausted, Message: "no space left", Hint: "prune"}),
			sandbox.Error{Class: sandbox.Exhausted, Message: "create box: no space left", Hint: "prune", Provider: "docker"},
		},
		{
			"one that has only a class",
			fmt.Errorf("look: %w", sandbox.Gone),
			sandbox.Error{Class: sandbox.Gone, Message: "look: gone", Provider: "docker"},
		},
		{
			"a context that was canceled",
			fmt.Errorf("pull: %w", context.Canceled),
			sandbox.Error{Class: sandbox.Canceled, Message: "pull: context canceled", Provider: "docker"},
		},
		{
			"a deadline that passed",
			context.DeadlineExceeded,
			sandbox.Error{Class: sandbox.TimedOut, Message: "context deadline exceeded", Provider: "docker"},
		},
		{
			"one without a class",
			errors.New("boom"),
			sandbox.Error{Class: sandbox.Internal, Message: "boom", Provider: "docker"},
		},
		{
			"one with a class that isn't in the set",
			&sandbox.Error{Class: "odd", Message: "boom"},
			sandbox.Error{Class: sandbox.Internal, Message: "boom", Provider: "docker"},
		},
		{
			"text that isn't UTF-8",
			sandbox.Errorf(sandbox.NotFound, "no file a\xffb"),
			sandbox.Error{Class: sandbox.NotFound, Message: "no file a\uFFFDb", Provider: "docker"},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, *overStatus(t, c.err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAVeryLongMessageIsShortened(t *testing.T) {
	got := overStatus(t, errors.New(strings.Repeat("ä", 1<<20)))
	if len(got.Message) > maxMessage+20 || !strings.HasSuffix(got.Message, "ä [shortened]") {
		t.Errorf("got %d bytes, end %q", len(got.Message), got.Message[len(got.Message)-20:])
	}
}

func TestAStatusOfAnotherHasTheNearestClass(t *testing.T) {
	cases := map[codes.Code]sandbox.Class{
		codes.NotFound: sandbox.NotFound, codes.Unimplemented: sandbox.Unsupported, codes.Unavailable: sandbox.Unavailable,
		codes.DeadlineExceeded: sandbox.TimedOut, codes.Canceled: sandbox.Canceled, codes.Unknown: sandbox.Internal,
		codes.ResourceExhausted: sandbox.Exhausted, codes.DataLoss: sandbox.Internal, codes.FailedPrecondition: sandbox.Invalid,
	}
	for code, want := range cases {
		e, ok := FromStatus(status.Error(code, "their words"))
		if ok || e.Class != want || e.Message != "their words" {
			t.Errorf("%s: got %+v, %v, want class %s", code, e, ok, want)
		}
	}
	if Status(nil, "") != nil {
		t.Error("no error became one")
	}
	passed := status.Error(codes.NotFound, "as it is")
	if got := Status(passed, "x"); status.Code(got) != codes.NotFound || status.Convert(got).Message() != "as it is" {
		t.Errorf("a status was changed: %v", got)
	}
}

func TestACrashArrivesWithItsStack(t *testing.T) {
	want := Crash{
		Plugin: "docker", Version: "1.0", Call: "Create", Block: "b", Value: "index out of range", Stack: "a\nb\nc", Reports: "https://x",
	}
	e, ok := FromStatus(want.Status())
	if !ok || e.Class != sandbox.Internal || e.Hint != "report it at https://x" {
		t.Errorf("got %+v, %v", e, ok)
	}
	got, found := errors.AsType[*Crash](error(e))
	if !found {
		t.Fatal("no crash in the error")
	}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(e.Error(), "the docker plugin crashed (panic: index out of range) in Create") {
		t.Errorf("got %q", e.Error())
	}
}
