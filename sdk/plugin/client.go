package plugin

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	goplugin "github.com/hashicorp/go-plugin"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/process"
	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/remote"
	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/wire"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Crash is a panic caught in a plugin; it is the cause of an error of class
// Internal: errors.AsType[*plugin.Crash] finds it.
type Crash = wire.Crash

// Client is a running plugin process.
type Client struct {
	opts        LaunchOptions
	raw         *goplugin.Client
	proc        *process.Process
	conn        remote.Conn
	calls       remote.Calls
	description Description
	block       atomic.Pointer[string] // of the configuration, with its place
	sockets     *sockets
	closing     atomic.Bool
	hung        atomic.Bool // it was ended because it didn't answer
	closeOnce   sync.Once
	deathOnce   sync.Once
	death       error
}

// Description is what the plugin said of itself when it started.
func (c *Client) Description() Description { return c.description }

// PID is the id of its process.
func (c *Client) PID() string { return c.proc.ID() }

// Provider configures the plugin and returns its provider.
func (c *Client) Provider(ctx context.Context, conf Configure) (sandbox.Provider, error) {
	r, err := c.configure(ctx, KindProvider, conf)
	if err != nil {
		return nil, err
	}
	return remote.NewProvider(c.conn, wire.FromCapabilities(r.GetCapabilities())), nil
}

// Harness configures the plugin and returns its harness.
func (c *Client) Harness(ctx context.Context, conf Configure) (Opener, error) {
	if _, err := c.configure(ctx, KindHarness, conf); err != nil {
		return nil, err
	}
	return remote.NewHarness(c.conn), nil
}

func (c *Client) configure(ctx context.Context, kind Kind, conf Configure) (*pb.ConfigureResponse, error) {
	if c.description.Kind != kind {
		return nil, sandbox.Errorf(sandbox.Invalid, "configure %s: it is a %s, not a %s", c.opts.Name, c.description.Kind, kind)
	}
	block := conf.Block
	if block != "" && conf.At != "" {
		block += " at " + conf.At
	}
	c.block.Store(&block)
	return remote.Configure(ctx, c.conn, &pb.ConfigureRequest{
		Config: conf.Config, Owner: wire.Text(conf.Owner), Block: wire.Text(conf.Block),
	})
}

// Done is closed when the process has ended, for whatever reason.
func (c *Client) Done() <-chan struct{} { return c.proc.Exited() }

// Err says how the process ended, as a *DiedError; nil while it runs.
func (c *Client) Err() error {
	if c.proc.State() == nil {
		return nil
	}
	c.deathOnce.Do(func() {
		if c.closing.Load() || c.proc.Asked() && !c.hung.Load() {
			c.death = fmt.Errorf("%s was closed", c.opts.Name)
			return
		}
		died := c.autopsy()
		if died.crash() {
			died.Report = c.report(died.Incident)
		}
		c.death = died
	})
	return c.death
}

// died waits a moment for an end that a broken connection foretells.
func (c *Client) died() error {
	if !c.endedSoon() {
		return nil
	}
	return c.Err()
}

// Close ends the process: it is asked to, and its group is killed if it takes
// longer than CloseTimeout. It returns when no process of the group is left and
// the socket is removed. It may be called more than once.
func (c *Client) Close() error {
	c.closeOnce.Do(func() {
		_ = c.Err() // an end before this was its own
		c.closing.Store(true)
		c.askToEnd()
		c.discard()
	})
	return nil
}

func (c *Client) askToEnd() {
	patience := time.NewTimer(c.opts.CloseTimeout)
	defer patience.Stop()
	go func() {
		if protocol, err := c.raw.Client(); err == nil {
			_ = protocol.Close() // a plugin that doesn't answer is killed
		}
	}()
	select {
	case <-c.proc.Exited():
	case <-patience.C:
	}
}

// discard kills what there is and cleans up.
func (c *Client) discard() {
	_ = c.proc.Kill(context.Background()) // it only waits
	c.raw.Kill()                          // the process has ended: it only tidies up
	c.sockets.remove()
}
