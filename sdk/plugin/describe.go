package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/process"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// maxDescription is how long a description may be. The longest of ours has a
// few KiB.
const maxDescription = 1 << 20

// Describe asks a plugin program what it is, without serving: it runs it with
// the argument "describe" and reads the JSON it prints. env is the whole
// environment. said is that JSON, for [ParseDescription]. An error that has a
// *DiedError as its cause is of a program that failed or crashed.
func Describe(ctx context.Context, path string, env []string, limit time.Duration) (d Description, said []byte, err error) {
	doing := "describe " + path
	if err := executable(doing, path); err != nil {
		return Description{}, nil, err
	}
	caller := ctx
	ctx, cancel := context.WithTimeout(caller, limit)
	defer cancel()
	run := process.New(process.Options{Path: path, Args: []string{"describe"}, Env: env})
	stop := context.AfterFunc(ctx, func() { _ = run.Kill(context.Background()) })
	defer stop()
	out, err := run.Output(ctx, maxDescription+1)
	say := func(class sandbox.Class, format string, args ...any) (Description, []byte, error) {
		return Description{}, nil, sandbox.Errorf(class, doing+": "+format, args...)
	}
	c := &Client{opts: LaunchOptions{Path: path, Name: "it"}, proc: run}
	switch {
	case ctx.Err() != nil && run.ID() != "":
		if errors.Is(ctx.Err(), context.Canceled) {
			return say(sandbox.Canceled, "canceled")
		}
		if caller.Err() != nil { // that says nothing of the program
			return say(sandbox.TimedOut, "it did not answer in the time that there was: %w", context.Cause(caller))
		}
		return say(sandbox.TimedOut, "it did not answer within %s: it hangs, or is no plugin%s", limit, c.lastWords())
	case err != nil:
		return Description{}, nil, c.explainExec(ctx, doing, err)
	case !run.State().Success():
		died := c.autopsy()
		if died.Signal == "" && died.Panic == "" {
			return say(sandbox.Unavailable, "%w instead of saying what it is: it is no plugin of Sandlot, or a broken one", died)
		}
		return say(sandbox.Unavailable, "%w", died)
	case len(out) > maxDescription:
		return say(sandbox.Invalid, "it printed more than %d KiB: that is no description of a plugin", maxDescription>>10)
	}
	// What a program prints before its main, e.g. in an init, comes first.
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	said = lines[len(lines)-1]
	switch d, err = ParseDescription(said); {
	case len(bytes.TrimSpace(out)) == 0:
		return say(sandbox.Internal, "it printed nothing: it is no plugin of Sandlot, which would print what it is%s", c.lastWords())
	case errors.Is(err, errNoDescription):
		return say(sandbox.Internal, "it printed %s and no description: it is no plugin of Sandlot", quote(fmt.Sprintf("%.200s", strings.TrimSpace(string(out)))))
	case err != nil:
		return say(sandbox.Invalid, "its description can't be read: %w", err)
	}
	return d, said, nil
}

var errNoDescription = errors.New("it is no description of a plugin")

// ParseDescription reads what a program has printed on `describe`.
func ParseDescription(said []byte) (Description, error) {
	var d Description
	err := json.Unmarshal(said, &d)
	switch {
	case err != nil && json.Valid(said):
		return Description{}, err
	case err != nil || d.Kind == "":
		return Description{}, errNoDescription
	}
	return d, nil
}
