package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/process"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Describe asks a plugin program what it is, without serving: it runs it with
// the argument "describe" and reads the JSON it prints. env is the whole
// environment.
func Describe(ctx context.Context, path string, env []string, limit time.Duration) (Description, error) {
	opts := LaunchOptions{Path: path}.withDefaults()
	if err := executable(opts); err != nil {
		return Description{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	run := process.New(process.Options{Path: path, Args: []string{"describe"}, Env: env})
	stop := context.AfterFunc(ctx, func() { _ = run.Kill(context.Background()) })
	defer stop()
	out, err := run.Output()
	say := func(class sandbox.Class, format string, args ...any) (Description, error) {
		return Description{}, sandbox.Errorf(class, "describe "+opts.Name+": "+format, args...)
	}
	c := &Client{opts: opts, proc: run}
	switch {
	case ctx.Err() != nil && run.ID() != "":
		return say(sandbox.ClassOf(ctx.Err()), "it did not answer within %s%s", limit, c.lastWords())
	case err != nil:
		return Description{}, c.explainExec(ctx, func(class sandbox.Class, format string, args ...any) error {
			return sandbox.Errorf(class, "describe "+opts.Name+": "+format, args...)
		}, err)
	case !run.State().Success():
		return say(sandbox.Unavailable, "%s", c.ending())
	}
	// What a program prints before its main, e.g. in an init, comes first.
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	var d Description
	if err := json.Unmarshal(lines[len(lines)-1], &d); err != nil || d.Kind == "" {
		return say(sandbox.Internal, "it printed %s and no description: it is no plugin", quote(fmt.Sprintf("%.200s", strings.TrimSpace(string(out)))))
	}
	return d, nil
}
