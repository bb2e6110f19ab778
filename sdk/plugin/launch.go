package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/guard"
	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/process"
	"github.com/sandlot-dev/sandlot/sdk/plugin/internal/remote"
	pb "github.com/sandlot-dev/sandlot/sdk/proto/sandlot/v1"
	"github.com/sandlot-dev/sandlot/sdk/sandbox"
)

// Timeouts bound the calls of a client; 0 takes the default.
type Timeouts = remote.Timeouts

// LaunchOptions say how to start a plugin process.
type LaunchOptions struct {
	Path string   // absolute path of the program
	Args []string // arguments; a plugin takes none
	Env  []string // the whole environment: nothing is inherited

	// SocketDir is a private folder for the connection's socket; it is made if
	// need be. A path too long for a socket, or none, means a fresh folder in the
	// temporary directory.
	SocketDir string

	// Stderr is told of each line the plugin writes to stderr, without its end,
	// by one goroutine. Lines over 64 KiB are cut and marked. A call that blocks
	// blocks the plugin's log. Nil drops them.
	Stderr func(line []byte)

	// Calls is told of each call that has ended, by whoever made it. Nil: nobody.
	Calls func(Call)

	// Report is told of each crash, once, and returns the path of the file that it
	// wrote of it; empty: it wrote none. Nil: nobody is told.
	Report func(Incident) (path string)

	// Scrub takes secrets out of what the plugin printed, before it stands in an
	// error or an incident, and out of a line of stderr that was cut. A text may
	// begin or end inside of a secret. Nil: there are none.
	Scrub func([]byte) []byte

	Log          hclog.Logger  // go-plugin's own; nil: none
	Name         string        // of the plugin in messages; default: name of the program
	StartTimeout time.Duration // until it answers; default 10 s
	CloseTimeout time.Duration // for it to end by itself on Close; default 1.5 s
	Timeouts     Timeouts
}

func (o LaunchOptions) withDefaults() LaunchOptions {
	if o.Name == "" {
		o.Name = filepath.Base(o.Path)
	}
	if o.StartTimeout == 0 {
		o.StartTimeout = 10 * time.Second
	}
	if o.CloseTimeout == 0 {
		o.CloseTimeout = 1500 * time.Millisecond
	}
	o.Timeouts = o.Timeouts.WithDefaults()
	if o.Log == nil {
		o.Log = hclog.NewNullLogger()
	}
	return o
}

// Launch starts a plugin process and connects to it. The error says in which of
// the many ways that went wrong, with the plugin's own words. ctx bounds the
// start only.
func Launch(ctx context.Context, opts LaunchOptions) (*Client, error) {
	opts = opts.withDefaults()
	if err := executable("start "+opts.Name, opts.Path); err != nil {
		return nil, err
	}
	sockets, err := makeSockets(opts.SocketDir)
	if err != nil {
		class := sandbox.Denied
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			class = sandbox.Exhausted
		}
		return nil, sandbox.Errorf(class, "start %s: %w", opts.Name, err)
	}
	c := &Client{opts: opts, sockets: sockets, proc: process.New(process.Options{
		Path: opts.Path, Args: opts.Args, Lines: opts.Stderr, Scrub: opts.Scrub,
		Env: append(append([]string{}, opts.Env...), guard.HostPID+"="+strconv.Itoa(os.Getpid())),
	})}
	c.calls.Ended = opts.Calls
	if err := c.start(ctx); err != nil {
		c.discard()
		return nil, err
	}
	go c.feelPulse()
	return c, nil
}

// start runs go-plugin's start and reads the description.
func (c *Client) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.opts.StartTimeout)
	defer cancel()
	c.raw = goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  handshake(),
		VersionedPlugins: versioned(wired{}),
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, dir string) (runner.Runner, error) {
			c.sockets.made(dir)
			c.proc.Handshake(cmd.Env)
			return c.proc, nil
		},
		StartTimeout:     2 * c.opts.StartTimeout, // ours comes first
		Logger:           c.opts.Log,
		AutoMTLS:         true,
		SkipHostEnv:      true,
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: c.sockets.base},
		GRPCDialOptions:  append(remote.DialOptions(), c.calls.DialOptions()...),
	})
	// go-plugin's start knows no context: the process is ended instead.
	stop := context.AfterFunc(ctx, func() { _ = c.proc.Kill(context.Background()) })
	defer stop()
	if _, err := c.raw.Start(); err != nil {
		return c.explain(ctx, err)
	}
	// A plugin without our kind of TLS would keep us waiting.
	line, _, _ := strings.Cut(string(c.proc.First.Bytes()), "\n")
	if h, ok := parseHandshake(line); ok && !h.tls {
		return c.explain(ctx, errNoTLS)
	}
	return c.connect(ctx)
}

var errNoTLS = errors.New("no certificate in the handshake")

func (c *Client) connect(ctx context.Context) error {
	protocol, err := c.raw.Client()
	if err != nil {
		return c.explain(ctx, err)
	}
	raw, err := protocol.Dispense(service)
	if err != nil {
		return c.explain(ctx, err)
	}
	c.conn = remote.Conn{
		RPC: raw.(*grpc.ClientConn), Name: c.opts.Name, Died: c.died, Crashed: c.crashed, Place: c.place, Timeouts: c.opts.Timeouts,
	}
	r, err := pb.NewPluginServiceClient(c.conn.RPC).Describe(ctx, &pb.DescribeRequest{})
	if err != nil {
		return c.explain(ctx, err)
	}
	if err := json.Unmarshal(r.GetDescription(), &c.description); err != nil {
		return sandbox.Errorf(sandbox.Internal, "start %s: it answers with what is no description of a plugin: %w", c.opts.Name, err)
	}
	return nil
}
