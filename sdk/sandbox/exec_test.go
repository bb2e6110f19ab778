package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// printing is a sandbox whose processes print what it says, and nothing more.
type printing struct {
	sandbox.Sandbox
	stdout, stderr []byte
	waitErr        error
	closed         *bool
}

func (p printing) Start(_ context.Context, cmd sandbox.Command) (sandbox.Process, error) {
	for _, chunk := range [][]byte{p.stdout[:len(p.stdout)/2], p.stdout[len(p.stdout)/2:]} {
		if n, err := cmd.Stdout.Write(chunk); n != len(chunk) || err != nil {
			return nil, errors.New("the output was refused")
		}
	}
	if _, err := cmd.Stderr.Write(p.stderr); err != nil {
		return nil, err
	}
	return ended{p}, nil
}

type ended struct{ p printing }

func (ended) PID() int                                   { return 1 }
func (ended) Signal(context.Context, int) error          { return nil }
func (ended) Resize(context.Context, sandbox.Size) error { return nil }
func (e ended) Wait(context.Context) (sandbox.Exit, error) {
	return sandbox.Exit{Code: 3, Reason: sandbox.ReasonExited}, e.p.waitErr
}

func (e ended) Close() error {
	*e.p.closed = true
	return nil
}

func TestCollectKeepsTheFirstBytesOfEachOutput(t *testing.T) {
	cases := []struct {
		name           string
		stdout, stderr string
		want           sandbox.Output
	}{
		{"all of it", "abcd", "xy", sandbox.Output{Stdout: []byte("abcd"), Stderr: []byte("xy")}},
		{"more stdout than it keeps", "abcdef", "xy", sandbox.Output{Stdout: []byte("abcd"), Stderr: []byte("xy"), Truncated: true}},
		{"more stderr than it keeps", "", "vwxyz", sandbox.Output{Stderr: []byte("vwxy"), Truncated: true}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var closed bool
			sb := printing{stdout: []byte(c.stdout), stderr: []byte(c.stderr), closed: &closed}
			got, err := sandbox.Collect(t.Context(), sb, sandbox.Command{ID: "c"}, 4)
			if err != nil || !closed {
				t.Errorf("%v, closed %v", err, closed)
			}
			c.want.Exit = sandbox.Exit{Code: 3, Reason: sandbox.ReasonExited}
			got.Stdout, got.Stderr = some(got.Stdout), some(got.Stderr)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// some makes nothing out of an empty slice.
func some(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}

func TestExecPrefersTheFasterWay(t *testing.T) {
	got, err := sandbox.Exec(t.Context(), fast{}, sandbox.Command{ID: "c"})
	if err != nil || string(got.Stdout) != "fast" {
		t.Errorf("got %q, %v", got.Stdout, err)
	}
	var closed bool
	lost := sandbox.Errorf(sandbox.Unavailable, "lost")
	_, err = sandbox.Exec(t.Context(), printing{waitErr: lost, closed: &closed}, sandbox.Command{ID: "c"})
	if !errors.Is(err, lost) || !closed {
		t.Errorf("got %v, closed %v", err, closed)
	}
}

type fast struct{ sandbox.Sandbox }

func (fast) Exec(context.Context, sandbox.Command) (sandbox.Output, error) {
	return sandbox.Output{Stdout: []byte("fast")}, nil
}

func TestExecRefusesWhatItCannotKeep(t *testing.T) {
	for _, cmd := range []sandbox.Command{{Detached: true}, {Stdout: &bytes.Buffer{}}, {Stderr: &bytes.Buffer{}}} {
		if _, err := sandbox.Exec(t.Context(), fast{}, cmd); !errors.Is(err, sandbox.Invalid) {
			t.Errorf("%+v: got %v", cmd, err)
		}
	}
}
