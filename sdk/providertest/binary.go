package providertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/sandlot-dev/sandlot/sdk/plugin"
)

// Launch says how a plugin binary is started and configured.
type Launch struct {
	Path   string            // absolute path of the program
	Env    []string          // its whole environment: nothing is inherited
	Config json.RawMessage   // attributes of the configuration block; a duration is a text such as "30s"; nil: {}
	Owner  string            // default DefaultOwner; the same as Options.Owner
	Stderr func(line []byte) // told of each line of its log; nil drops them
}

// Binary makes Options.Open for a plugin binary: each call starts a process of
// it, and everything crosses the wire.
func Binary(l Launch) func(ctx context.Context) (*Plugin, error) {
	if l.Owner == "" {
		l.Owner = DefaultOwner
	}
	return func(ctx context.Context) (*Plugin, error) {
		client, err := plugin.Launch(ctx, plugin.LaunchOptions{Path: l.Path, Env: l.Env, Stderr: l.Stderr})
		if err != nil {
			return nil, err
		}
		p, err := open(ctx, client, l)
		if err != nil {
			return nil, errors.Join(err, client.Close())
		}
		return p, nil
	}
}

func open(ctx context.Context, client *plugin.Client, l Launch) (*Plugin, error) {
	provider, err := client.Provider(ctx, plugin.Configure{Config: l.Config, Owner: l.Owner, Block: "the conformance suite"})
	if err != nil {
		return nil, err
	}
	pid, err := strconv.Atoi(client.PID())
	if err != nil {
		return nil, fmt.Errorf("read the plugin's process id: %w", err)
	}
	return &Plugin{
		Provider: provider, Close: client.Close, PID: pid, Promised: client.Description().Capabilities,
		Kill: func() error { return crash(client, pid) },
	}, nil
}

// crash ends the plugin's process, alone and without a word to it.
func crash(client *plugin.Client, pid int) error {
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill plugin process: %w", err)
	}
	<-client.Done()
	return nil
}
